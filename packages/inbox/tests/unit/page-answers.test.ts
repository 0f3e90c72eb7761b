import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { Access, type Asked as AskedOf, cookieValue } from "@/packages/inbox/src/access";
import { answerList, answerReport, type Inbox } from "@/packages/inbox/src/page-answers";
import { inboxTables } from "@/packages/inbox/src/tables";
import { decide, decisionsIn, filerOf, sourcesOf } from "@/packages/inbox/tests/support/inbox";
import { clientReader } from "@/packages/relay/src/http/client-address";
import { OutboxError } from "@/packages/relay/src/outbox/driver";
import { relay, relayParts } from "@/packages/sentry/src/server/relay";
import { log } from "@/packages/sentry/src/shared/log";
import { envelope, errorEvent, feedbackEvent, someEventId } from "@/tests/support/envelopes";

const folder = mkdtempSync(join(tmpdir(), "signpost-"));
const [first, second, missing] = [someEventId(), someEventId(), "f".repeat(32)];

let inbox: Inbox;
const list = (asked: AskedOf) => answerList(asked, inbox);
const report = (id: string) => (asked: AskedOf) => answerReport(asked, id, inbox);

beforeAll(async () => {
  vi.stubEnv("DATA_DIR", folder);
  relayParts().destination = {
    name: "inbox",
    tables: inboxTables,
    open: () => filerOf(relay().outbox).destination,
  };
  const clientOf = clientReader([]);
  const secret = () => relay().outbox.secret.read();
  inbox = {
    access: new Access({ token: "right", path: "/reports", clientOf, secret }),
    sources: sourcesOf(relay().outbox),
    driver: relay().outbox.driver,
    memory: relay().memory,
    release: "2.0.0",
    clientOf,
    deliverNow: (maxMs) => relay().deliverNow(maxMs),
    log,
  };
  await relay().start();
  for (const id of [first, second]) {
    await relay().outbox.append(envelope([["event", errorEvent({ event_id: id })]]), "browser");
  }
  await relay().deliverNow(10_000);
});

afterAll(async () => {
  await relay().close();
  rmSync(folder, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

interface Asked extends RequestInit {
  cookie?: string;
}

/** Asks over a real port, with the cookie unless told otherwise. */
async function ask<T>(
  url: string,
  answer: (asked: AskedOf) => Promise<T>,
  asked: Asked = {},
): Promise<T> {
  return (await askBoth(url, answer, asked)).answer;
}

/** The same, and the response. */
async function askBoth<T>(
  url: string,
  answer: (asked: AskedOf) => Promise<T>,
  { cookie = "", ...init }: Asked = {},
): Promise<{ answer: T; response: Response }> {
  const value = cookie || cookieValue("right", await relay().outbox.secret.read());
  let answered: Promise<T> | undefined;
  const server = createServer((request, response) => {
    request.headers.cookie = `signpost-inbox=${value}`;
    answered = answer({ request, response, url: request.url ?? "" });
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
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${url}`, init);
  if (!answered) throw new Error("Expected a request, got none");
  return { answer: await answered, response };
}

async function groupId(): Promise<string> {
  await relay().deliverNow(10_000);
  const error = await inbox.sources.reports.event(first);
  if (!error) throw new Error("Expected an error, got none");
  return error.group;
}

test("the list holds data, and no texts", async () => {
  const answer = await ask("/reports", list);
  expect(answer).toMatchObject({
    view: { name: "errors", kept: { reports: 2 }, errors: [{ origins: ["browser"], count: 2 }] },
  });
  expect(JSON.stringify(answer)).not.toContain("Last seen");
});

test("a reference leads to its error, one that is unknown or none is said", async () => {
  const redirect = { redirectTo: `/reports/${await groupId()}?event=${first}` };
  expect(await ask(`/reports?q=${first}`, list)).toEqual(redirect);
  expect(await ask(`/reports?q=${missing}`, list)).toMatchObject({
    view: { errors: [], filter: { search: missing }, unknownReference: true },
  });
  expect(await ask("/reports?q=what", list)).toMatchObject({
    view: { errors: [], filter: { search: "what" }, unknownReference: false },
  });
});

test("the page of an error shows the event asked for, else the latest", async () => {
  const group = await groupId();
  for (const [url, shown] of [
    [`/reports/${group}?event=${first}`, first],
    [`/reports/${group}?event=${missing}`, second],
    [`/reports/${group}`, second],
  ] as const) {
    expect(await ask(url, report(group))).toMatchObject({
      view: { gone: false, event: { eventId: shown } },
    });
  }
});

test("an event in the group's place leads to its group, anything else is not found", async () => {
  const answer = (id: string) => ask(`/reports/${id}`, report(id));
  expect(await answer(second)).toEqual({
    redirectTo: `/reports/${await groupId()}?event=${second}`,
  });
  expect(await answer(missing)).toBe("not-found");
  expect(await answer("nonsense")).toBe("not-found");
});

/** Posts a form, as a page of the inbox does. */
function form(fields: Record<string, string | string[]>, over: Asked = {}): Asked {
  const body = new URLSearchParams();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) body.append(name, value);
  }
  return { method: "POST", body, ...over };
}

test("a decision about an error is kept, and leads back to where it was made", async () => {
  const group = await groupId();
  const answer = report(group);
  const state = async () => {
    const shown = await ask(`/reports/${group}`, answer);
    return shown instanceof Object && "view" in shown && "group" in shown.view
      ? shown.view.group.status
      : shown;
  };
  expect(await state()).toBe("open");
  for (const [given, status] of [
    ["resolved", "resolved"],
    ["ignored", "ignored"],
    ["open", "open"],
  ] as const) {
    const url = `/reports/${group}?event=${first}`;
    const decided = form({ group, state: given, seen: String(Date.now()) });
    expect(await ask(url, answer, decided)).toEqual({ redirectTo: url, status: 303 });
    expect(await state()).toBe(status);
  }
  // By the list, for several at once, some of which are gone.
  const groups = ["0".repeat(16), group];
  const listed = form({ group: groups, state: "ignored", seen: String(Date.now()) });
  expect(await ask("/reports?q=there", list, listed)).toEqual({
    redirectTo: "/reports?q=there",
    status: 303,
  });
  expect(await ask("/reports", list)).toMatchObject({
    view: { errors: [], ignored: 1 },
  });
  expect(await decisionsIn(relay().outbox.driver)).toHaveLength(1);
  await decide(relay().outbox.driver, group, "open");
});

test("an error that came in after the page was rendered is not resolved by it", async () => {
  const group = await groupId();
  const answer = report(group);
  const before = Date.now() - 60_000;
  const decided = form({ group, state: "resolved", seen: String(before) });
  await ask(`/reports/${group}`, answer, decided);
  expect(await ask(`/reports/${group}`, answer)).toMatchObject({
    view: { group: { status: "came-back" } },
  });
  // Nobody can have seen the future.
  const early = form({ group, state: "resolved", seen: String(Date.now() + 1e9) });
  await ask(`/reports/${group}`, answer, early);
  const [decision] = await decisionsIn(relay().outbox.driver);
  expect(decision?.since).toBeLessThanOrEqual(Date.now());
  await decide(relay().outbox.driver, group, "open");
});

test("a decision that no page of the inbox has sent is refused, and changes nothing", async () => {
  const group = await groupId();
  const good = { group, state: "resolved", seen: String(Date.now()) };
  const post = async (asked: Asked) =>
    (await askBoth(`/reports/${group}`, report(group), asked)).response.status;
  const header = (name: string, value: string) => form(good, { headers: { [name]: value } });
  expect(await post(header("Sec-Fetch-Site", "cross-site"))).toBe(403);
  expect(await post(header("Sec-Fetch-Site", "same-site"))).toBe(403);
  expect(await post(header("Origin", "https://other.example"))).toBe(403);
  expect(await post(header("Origin", "null"))).toBe(403);
  expect(await post(header("Content-Type", "text/plain"))).toBe(415);
  expect(await post(form({ ...good, more: "x".repeat(70_000) }))).toBe(413);
  const faulty: Record<string, string | string[]>[] = [
    { ...good, state: "deleted" },
    { ...good, state: ["resolved", "open"] },
    { group, state: "resolved" },
    { ...good, seen: "soon" },
    { ...good, seen: "-1" },
    { ...good, group: "../x" },
    { ...good, group: Array<string>(501).fill(group) },
  ];
  for (const fields of faulty) expect(await post(form(fields)), JSON.stringify(fields)).toBe(400);
  const stranger = form(good, { cookie: "wrong" });
  const answers = [
    await ask(`/reports/${group}`, report(group), stranger),
    await ask("/reports", list, stranger),
  ];
  expect(answers).toEqual(["denied", "denied"]);
  expect(await decisionsIn(relay().outbox.driver)).toEqual([]);
});

test("what is removed is removed for good, and the list says how much that was", async () => {
  const id = someEventId();
  const event = errorEvent({ event_id: id, fingerprint: ["removed"], user: { id: "77" } });
  await relay().outbox.append(envelope([["event", event]]), "browser");
  const answer = report(id);
  const removed = { remove: "user", user: "77", event: id, group: "0".repeat(16) };
  const foreign = form(removed, { headers: { "Sec-Fetch-Site": "cross-site" } });
  expect((await askBoth("/reports", list, foreign)).response.status).toBe(403);
  const faults: Record<string, string | string[]>[] = [
    { remove: "all", all: "1" },
    { remove: "event", event: "../x" },
    { remove: "event", event: [id, id] },
    { remove: ["event", "user"], event: id, user: "77" },
    { remove: "group" },
    { remove: "user", user: "" },
    { remove: "user", user: "7".repeat(129) },
  ];
  for (const faulty of faults) {
    const { response } = await askBoth("/reports", list, form(faulty));
    expect(response.status, JSON.stringify(faulty)).toBe(400);
  }
  expect(await ask("/reports", list, form(removed, { cookie: "wrong" }))).toBe("denied");
  const there = { redirectTo: "/reports?removed=1-0-1", status: 303 };
  expect(await ask(`/reports/${id}`, answer, form(removed))).toEqual(there);
  expect(await ask(`/reports/${id}`, answer)).toBe("not-found");
  expect(await ask(there.redirectTo, list)).toMatchObject({
    view: { removed: { errors: 1, messages: 0, reports: 1 } },
  });
  const made = await ask("/reports?removed=<b>", list);
  expect(made).toMatchObject({ view: { removed: undefined } });
});

test("a decision that can't be stored is said to be so, and a removal that stopped", async () => {
  const group = await groupId();
  const broken = vi
    .spyOn(relay().outbox.driver, "transaction")
    .mockRejectedValue(new OutboxError("full", "The disk is full."));
  onTestFinished(() => broken.mockRestore());
  const decided = form({ group, state: "resolved", seen: String(Date.now()) });
  const { response } = await askBoth("/reports", list, decided);
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "10"]);
  const removed = await askBoth("/reports", list, form({ remove: "group", group }));
  expect(removed.response.status).toBe(503);
  expect(await removed.response.text()).toContain("Only a part may have been removed");
});

test("an event is given out as the file that was reported, and never as a page", async () => {
  const group = await groupId();
  const answer = report(group);
  const url = `/reports/${group}?event=${first}&format=json`;
  const { response, answer: said } = await askBoth(url, answer);
  expect(said).toBe("answered");
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("content-disposition")).toBe(
    `attachment; filename="error-${first}.json"`,
  );
  expect(response.headers.get("cache-control")).toBe("private, no-store");
  expect(await response.json()).toMatchObject({ event_id: first, release: "1.0.0" });
  expect(await ask(url, answer, { cookie: "wrong" })).toBe("denied");
});

test("an error leads to its visit, and the visit to its errors", async () => {
  const [traceId, eventOfVisit] = [someEventId(), someEventId()];
  const contexts = { trace: { trace_id: traceId, span_id: "1".repeat(16), op: "pageload" } };
  const [start_timestamp, timestamp] = [Date.now() / 1000 - 2, Date.now() / 1000];
  const visit = { transaction: "/a", start_timestamp, timestamp, contexts };
  const event = errorEvent({ event_id: eventOfVisit, message: "of a visit", contexts });
  delete event.exception;
  await relay().outbox.append(envelope([["transaction", visit]]), "browser");
  await relay().outbox.append(envelope([["event", event]]), "browser");
  const page = (id: string) => ask(`/reports/${id}`, report(id));
  const toError = await page(eventOfVisit);
  const group = /b?[0-9a-f]{16}/.exec(JSON.stringify(toError))?.[0] ?? "";
  expect(await page(group)).toMatchObject({
    view: { kind: "error", isMeasured: true, event: { traceId } },
  });
  expect(await page(traceId)).toMatchObject({
    view: {
      kind: "visit",
      route: "/a",
      picture: { spans: [{ name: "/a", depth: 0 }] },
      errors: [{ group, eventId: eventOfVisit, message: "of a visit" }],
    },
  });
  const routes = await ask("/reports?view=performance", list);
  expect(routes).toMatchObject({
    view: { routes: [{ route: "/a" }] },
  });
  expect(await ask("/reports?view=performance&route=%2Fa", list)).toMatchObject({
    view: { slowest: [{ traceId, origin: "browser" }] },
  });
});

test("the view of feedback and the page of its error show whole messages", async () => {
  const [about, whole] = [someEventId(), `${"word ".repeat(799)}end.`];
  const event = errorEvent({ event_id: about, fingerprint: ["of feedback"] });
  await relay().outbox.append(envelope([["event", event]]), "browser");
  await relay().outbox.append(envelope([["feedback", feedbackEvent(whole, about)]]), "browser");
  expect(await ask("/reports?view=feedback", list)).toMatchObject({
    view: { feedback: [{ message: whole }] },
  });
  const toError = await ask(`/reports/${about}`, report(about));
  const group = /b?[0-9a-f]{16}/.exec(JSON.stringify(toError))?.[0] ?? "";
  expect(await ask(`/reports/${group}`, report(group))).toMatchObject({
    view: { feedback: [{ message: whole }] },
  });
});

test("without the cookie neither page says anything", async () => {
  const group = await groupId();
  const stranger = { cookie: "wrong" };
  expect(await ask("/reports", list, stranger)).toBe("denied");
  expect(await ask(`/reports/${group}`, report(group), stranger)).toBe("denied");
});
