import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { cookieValue } from "@/lib/inbox/access";
import { answerErrorReport, answerList, type PageRequest } from "@/lib/inbox/page-answers";
import { inbox } from "@/lib/inbox/process-inbox";
import { outbox } from "@/lib/outbox/process-outbox";
import { envelope, errorEvent, someEventId } from "@/tests/support/envelopes";
import { otherLocale } from "@/tests/support/languages";

const folder = mkdtempSync(join(tmpdir(), "signpost-"));
const [first, second, missing] = [someEventId(), someEventId(), "f".repeat(32)];

beforeAll(async () => {
  vi.stubEnv("INBOX_TOKEN", "right");
  vi.stubEnv("DATA_DIR", folder);
  for (const id of [first, second]) {
    await outbox().append(envelope([["event", errorEvent({ event_id: id })]]), "browser");
  }
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

/** Asks over a real port, with the cookie unless told otherwise. */
async function ask<T>(
  url: string,
  answer: (request: PageRequest) => Promise<T>,
  { locale = "en", cookie = "" } = {},
): Promise<T> {
  const value = cookie || (await cookieValue("right"));
  let answered: Promise<T> | undefined;
  const server = createServer((request, response) => {
    const cookies = { "signpost-inbox": value };
    answered = answer({ request, response, cookies, url: request.url ?? "", locale });
    answered.then(
      () => response.end(),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${url}`);
  if (!answered) throw new Error("Expected a request, got none");
  return answered;
}

async function groupId(): Promise<string> {
  const [group] = (await inbox().look()).errors;
  if (!group) throw new Error("Expected an error, got none");
  return group.id;
}

test("the list holds data and formatted values, and no texts", async () => {
  const answer = await ask("/reports", answerList, { locale: otherLocale });
  expect(answer).toMatchObject({
    props: { view: { name: "errors", kept: "2", errors: [{ origins: ["browser"], count: "2" }] } },
  });
  expect(JSON.stringify(answer)).not.toContain("Fehler");
});

test("a reference leads to its error, one that is unknown or none is said", async () => {
  const redirect = { redirectTo: `/reports/${await groupId()}?event=${first}` };
  expect(await ask(`/reports?event=${first}`, answerList)).toEqual(redirect);
  expect(await ask(`/reports?event=${missing}`, answerList)).toMatchObject({
    props: { view: { sought: { text: missing, isReference: true } } },
  });
  expect(await ask("/reports?event=what", answerList)).toMatchObject({
    props: { view: { sought: { text: "what", isReference: false } } },
  });
});

test("the page of an error shows the event asked for, else the latest", async () => {
  const group = await groupId();
  for (const [url, shown] of [
    [`/reports/${group}?event=${first}`, first],
    [`/reports/${group}?event=${missing}`, second],
    [`/reports/${group}`, second],
  ] as const) {
    expect(await ask(url, (request) => answerErrorReport(request, group))).toMatchObject({
      props: { view: { gone: false, facts: { reference: shown } } },
    });
  }
});

test("an event in the group's place leads to its group, anything else is not found", async () => {
  const answer = (id: string) => ask(`/reports/${id}`, (request) => answerErrorReport(request, id));
  expect(await answer(second)).toEqual({
    redirectTo: `/reports/${await groupId()}?event=${second}`,
  });
  expect(await answer(missing)).toBe("not-found");
  expect(await answer("nonsense")).toBe("not-found");
});

test("without the cookie neither page says anything", async () => {
  const group = await groupId();
  const stranger = { cookie: "wrong" };
  expect(await ask("/reports", answerList, stranger)).toBe("not-found");
  expect(
    await ask(`/reports/${group}`, (request) => answerErrorReport(request, group), stranger),
  ).toBe("not-found");
});
