import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { inbox } from "@/packages/inbox/src/index";
import { errorOf } from "@/packages/inbox/tests/support/inbox";
import { createRelay } from "@/packages/relay/src/index";
import { temporaryFolder } from "@/tests/support/folders";

test("beside a bare relay it shows what the tunnel has taken, at the relay's entry", async () => {
  const relay = createRelay({
    store: { folder: temporaryFolder() },
    destination: inbox(),
    log: () => {},
  });
  await relay.start();
  const server = createServer((request, response) => {
    if (!relay.handle(request, response)) response.end("the app");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await relay.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const body = Buffer.from(errorOf("broken without Next")).toString();
  expect((await fetch(`${origin}/api/relay`, { method: "POST", body })).status).toBe(200);
  const entry = await fetch(origin + relay.entry, { redirect: "manual" });
  expect([entry.status, entry.headers.get("location")]).toEqual([307, "/reports"]);
  const cookie = entry.headers.get("set-cookie")?.split(";")[0] ?? "";
  const page = () => fetch(`${origin}/reports`, { headers: { cookie } });
  await expect.poll(async () => (await page()).text()).toContain("broken without Next");
  expect(await (await fetch(`${origin}/other`)).text()).toBe("the app");
});
