import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { DestinationContext } from "@signpost/relay";
import { expect, onTestFinished, test, vi } from "vitest";
import { inbox } from "@/packages/inbox/src/index";
import { errorOf, filerOf, runningRelease } from "@/packages/inbox/tests/support/inbox";
import { BodyMemory } from "@/packages/relay/src/http/body-memory";
import { clientReader } from "@/packages/relay/src/http/client-address";
import { OutboxError } from "@/packages/relay/src/outbox/driver";
import { openOutbox, recordedLog } from "@/tests/support/outboxes";

/** An inbox that answers on a port, behind an app that answers 418 to all that it leaves. */
async function serve({
  basePath = "",
  ...over
}: Partial<DestinationContext> & { basePath?: string } = {}) {
  const { outbox, driver } = openOutbox();
  const { lines, log } = recordedLog();
  const { file } = filerOf(outbox);
  const opened = inbox({ title: "Post" }).open({
    driver,
    isUsed: true,
    path: `${basePath}/reports`,
    log,
    release: runningRelease,
    resolve: async (frames) => frames.map(() => ({ resolved: false, late: false })),
    secret: () => outbox.secret.read(),
    deliverNow: file,
    clientOf: clientReader([]),
    memory: new BodyMemory(2 * 1024 * 1024),
    settings: { token: "right token" },
    ...over,
  });
  const server = createServer((request, response) => {
    if (!opened.handle?.(request, response)) response.writeHead(418).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}${basePath}`;
  const entry = await fetch(`${origin}/reports?token=right+token`, { redirect: "manual" });
  const cookie = entry.headers.get("set-cookie")?.split(";")[0] ?? "";
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(origin + path, { redirect: "manual", headers: { cookie }, ...init });
  return { opened, outbox, driver, lines, entry, ask, origin };
}

test("a page is a whole document, with its two files and nothing inline, below the base path", async () => {
  const { ask, entry, outbox, origin } = await serve({ basePath: "/shell" });
  expect([entry.status, entry.headers.get("location")]).toEqual([307, "/shell/reports"]);
  await outbox.append(errorOf("broken"), "browser");
  const page = await ask("/reports");
  expect(page.status).toBe(200);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("cache-control")).toBe("private, no-store");
  const policy = page.headers.get("content-security-policy");
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
  const html = await page.text();
  expect(html).toMatch(/^<!DOCTYPE html><html lang="en">.*<title>Errors · Post<\/title>/);
  expect(html).toContain("broken");
  expect(html).not.toMatch(/<style|style=|<script(?! type="module" src=)/);
  for (const [, href = ""] of html.matchAll(/(?:href|action|src)="([^"]*)"/g)) {
    expect(href).toMatch(/^\/shell\//);
  }
  const files = [...html.matchAll(/"\/shell(\/reports\/[\w.]+\.(?:css|js))"/g)];
  expect(files).toHaveLength(2);
  for (const [, file = ""] of files) {
    const asset = await fetch(origin + file);
    expect(asset.status).toBe(200);
    expect(asset.headers.get("cache-control")).toContain("immutable");
    expect((await asset.text()).length).toBeGreaterThan(1000);
    expect((await ask(file.replace(/[0-9a-f]{12}/, "0".repeat(12)))).status).toBe(404);
  }
  const [, group] = /"\/shell(\/reports\/b[0-9a-f]{16})"/.exec(html) ?? [];
  expect(await (await ask(String(group))).text()).toContain('<h1><bdi dir="ltr">Error</bdi></h1>');
});

test("what is not there is not found, and other methods are refused to who may look", async () => {
  const { ask } = await serve();
  for (const path of ["/reports/nothing", `/reports/${"0".repeat(16)}`, "/reports/a/b"]) {
    const page = await ask(path);
    expect([page.status, await page.text()]).toEqual([
      404,
      expect.stringMatching(/<h1>Not found.*<a href="\/reports">See all errors</),
    ]);
  }
  expect((await ask("/reports/")).status).toBe(200);
  expect(await (await ask("/reports", { method: "HEAD" })).text()).toBe("");
  const put = await ask("/reports", { method: "PUT" });
  expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
  const stranger = await ask("/reports", { headers: {} });
  expect([stranger.status, stranger.headers.get("cache-control")]).toEqual([
    404,
    "private, no-store",
  ]);
  const told = await stranger.text();
  expect(told).toContain("There is nothing at this address.");
  expect(told).not.toMatch(/errors|token/i);
});

test("while the store is away, pages say so, and a fault of our own is logged", async () => {
  const { ask, driver, lines } = await serve();
  const read = vi.spyOn(driver, "read");
  read.mockRejectedValue(new OutboxError("busy", "The database is away."));
  const away = await ask("/reports");
  expect([away.status, away.headers.get("retry-after")]).toEqual([503, "10"]);
  expect(await away.text()).toContain("The store does not answer");
  expect(lines).toEqual([]);
  read.mockRejectedValue(new Error("nobody knows"));
  expect((await ask("/reports")).status).toBe(500);
  expect(lines).toMatchObject([{ level: "error", event: "inbox page failed" }]);
});

test("who comes with the token while the store is away can try again", async () => {
  const { ask, outbox } = await serve({ basePath: "/shell" });
  const away = new OutboxError("busy", "The database is away.");
  vi.spyOn(outbox.secret, "read").mockRejectedValueOnce(away);
  const html = await (
    await ask("/reports?token=right+token&view=feedback", { headers: {} })
  ).text();
  const [, href = ""] = /<a href="\/shell([^"]*)">try again/.exec(html) ?? [];
  const again = await ask(href.replaceAll("&amp;", "&"), { headers: {}, redirect: "manual" });
  expect(again.headers.get("location")).toBe("/shell/reports?view=feedback");
});

test("where a service gets the reports, all requests are the app's", async () => {
  const { ask, entry } = await serve({ isUsed: false });
  expect([entry.status, (await ask("/reports")).status]).toEqual([418, 418]);
});

test("each start makes up a token of its own unless one is given, and warns of a short one", async () => {
  const made = await Promise.all([serve({ settings: {} }), serve({ settings: {} })]);
  const [one, other] = made.map(({ opened }) => opened.entry);
  expect(one).toMatch(/^\/reports\?token=[\da-f]{32}$/);
  expect(one).not.toBe(other);
  const { opened } = await serve();
  expect(opened.entry).toBe("/reports");
  const { lines } = await serve({ settings: { token: "secret" } });
  expect(lines).toMatchObject([{ level: "warn", event: "inbox token is short" }]);
});
