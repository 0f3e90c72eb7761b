import { describe, expect, it } from "vitest";
import { startDispatcher } from "@/tests/support/dispatchers";
import { namesOf } from "@/tests/support/limited-names";
import { dropsIn, openOutbox, statsOf } from "@/tests/support/outboxes";
import { errorEnvelope, eventId } from "@/tests/support/sdk-envelopes";
import type { ServiceAnswer } from "@/tests/support/service";

const html = { "Content-Type": "text/html; charset=utf-8" };
const plain = { "Content-Type": "text/plain" };
const page = "<html><style>h1 { color: red }</style><h1>Closed\n for today</h1></html>";

describe("an answer of what stands before the service", () => {
  it.each<[string, ServiceAnswer, string]>([
    ["Traefik", { status: 404, headers: plain, body: "404 page not found" }, "404 page not found"],
    ["a firewall", { status: 403, headers: html, body: page }, "Closed for today"],
    ["a login", { status: 401, headers: html, body: page }, "Closed for today"],
    ["a holding page", { status: 405, headers: html, body: page }, "Closed for today"],
    ["a maintenance page", { status: 200, headers: html, body: page }, "Closed for today"],
    ["a proxy that is lost", { status: 400, headers: html, body: page }, "Closed for today"],
    ["silence", { status: 403, headers: plain, body: "" }, ""],
  ])("lets reports wait: %s", async (_who, answer, words) => {
    const { outbox, service, hurry, lines, refusal } = await startDispatcher();
    await service.behave({ answers: [answer, answer, answer, 200] });
    const id = eventId();
    await outbox.append(errorEnvelope(id), "browser");
    hurry();
    const taken = await service.waitFor((s) => s.attempts.length === 4 && s.envelopes.at(-1));
    expect(taken.header.event_id).toBe(id);
    expect(await dropsIn(outbox)).toEqual([]);
    expect(refusal()).toBeUndefined();
    const cause = `Error: status ${answer.status}, and not from the service itself`;
    await expect
      .poll(() => lines)
      .toEqual([
        {
          level: "warn",
          event: "service takes no reports",
          fields: { cause: words ? `${cause}: ${words}` : cause },
        },
        { level: "info", event: "service takes reports again", fields: {} },
      ]);
  });

  it("lets reports wait that a proxy on the way out does not let pass", async () => {
    const { outbox, service, hurry } = await startDispatcher();
    await service.behave({ answers: [407, 425, 200] });
    await outbox.append(errorEnvelope(), "browser");
    hurry();
    await service.waitFor((s) => s.attempts.length === 3);
    await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0 });
    expect(await dropsIn(outbox)).toEqual([]);
  });

  it("drops what is too large for it: that gets no smaller", async () => {
    const { outbox, service } = await startDispatcher();
    await service.behave({ answers: [{ status: 413, headers: html, body: page }, 200] });
    await outbox.append(errorEnvelope(), "browser");
    await expect
      .poll(() => dropsIn(outbox))
      .toEqual([{ reason: "send_error", category: "error", quantity: 1 }]);
  });
});

it.each<[string, ServiceAnswer]>([
  ["Sentry", { status: 200, body: '{"id":"ab"}' }],
  ["Sentry, for no event", { status: 200, body: "{}" }],
  ["Bugsink, for no event", { status: 200, headers: html, body: "" }],
  ["Spotlight", { status: 200, headers: { "Content-Type": "" }, body: "" }],
  ["none, by its status", { status: 204, body: "" }],
  ["JSON by another name", { status: 202, headers: html, body: ' {"id":"ab"}' }],
])("knows the service's own success: %s", async (_who, answer) => {
  const { outbox, service, lines } = await startDispatcher();
  await service.behave({ answers: [answer] });
  await outbox.append(errorEnvelope(), "browser");
  await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0 });
  expect(service.attempts).toHaveLength(1);
  expect([lines, await dropsIn(outbox)]).toEqual([[], []]);
});

describe("a service that refuses the key or the project", () => {
  const refusing = (status: number): ServiceAnswer => ({
    status,
    body: '{"detail":"event submission rejected with_reason: ProjectId"}',
  });

  it.each([401, 403, 404])(
    "with %i lets reports wait, and is told once as an error",
    async (status) => {
      const { outbox, service, hurry, lines, refusal } = await startDispatcher();
      await service.behave({ answers: [refusing(status)] });
      for (let n = 0; n < 3; n++) await outbox.append(errorEnvelope(), "browser");
      hurry();
      await service.waitFor((s) => s.attempts.length >= 6);
      const reason = "event submission rejected with_reason: ProjectId";
      expect(refusal()).toEqual({ status, reason });
      expect(await statsOf(outbox)).toMatchObject({ highWaiting: 3 });
      await service.behave("ok");
      await service.waitFor((s) => s.envelopes.length === 3);
      await expect
        .poll(() => lines)
        .toEqual([
          {
            level: "error",
            event: "service refuses reports",
            fields: { status, reason },
          },
          { level: "info", event: "service has ended its refusal", fields: {} },
        ]);
      expect(refusal()).toBeUndefined();
      expect(await dropsIn(outbox)).toEqual([]);
    },
  );

  it("is told again in other words, and its header goes first", async () => {
    const { outbox, service, hurry, refusal } = await startDispatcher();
    const headers = { "X-Sentry-Error": "quota" };
    await service.behave({ answers: [refusing(401), { ...refusing(403), headers }] });
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(refusal).toMatchObject({ status: 401 });
    hurry();
    await expect.poll(refusal).toEqual({ status: 403, reason: "quota" });
  });

  it.each([301, 302, 307, 308])("by redirecting with %i is told where to", async (status) => {
    const { outbox, service, lines } = await startDispatcher();
    const headers = {
      Location: "https://user:secret@sentry.example/api/42/envelope/;id=secret?secret=1",
    };
    await service.behave({ answers: [{ status, headers }] });
    await outbox.append(errorEnvelope(), "browser");
    const reason = "It redirects to https://sentry.example/api/42/envelope/.";
    await expect
      .poll(() => lines)
      .toEqual([
        {
          level: "error",
          event: "service refuses reports",
          fields: { status, reason },
        },
      ]);
    expect(await statsOf(outbox)).toMatchObject({ highWaiting: 1 });
  });

  it("is bounded in what it can write into the log", async () => {
    const { outbox, service, refusal } = await startDispatcher();
    const detail = `a\u0000b\u2028c\n${"x".repeat(1000)}`;
    await service.behave({ answers: [{ status: 403, body: JSON.stringify({ detail }) }] });
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => refusal()?.reason).toBe(`a b c ${"x".repeat(194)}`);
  });
});

describe("asked at the start, the service", () => {
  it("gets an empty envelope, and the log its answer", async () => {
    const { ask, service, lines } = await startDispatcher();
    await ask();
    const [question] = service.questions;
    expect(question?.items).toEqual([]);
    expect(question?.header).toMatchObject({ dsn: service.dsn, sent_at: expect.any(String) });
    expect(service.attempts).toEqual([]);
    expect(lines).toEqual([{ level: "info", event: "service answers", fields: { status: 200 } }]);
  });

  it("is told as an error where it refuses the key", async () => {
    const { ask, service, lines, refusal } = await startDispatcher();
    await service.behave({ answers: [{ status: 401, body: '{"detail":"invalid key"}' }] });
    await ask();
    const fields = { status: 401, reason: "invalid key" };
    expect(lines).toEqual([{ level: "error", event: "service refuses reports", fields }]);
    expect(refusal()).toEqual({ status: 401, reason: "invalid key" });
  });

  it("is heard in what it limits", async () => {
    const { ask, service, limits } = await startDispatcher();
    const headers = { "X-Sentry-Rate-Limits": "60:transaction:organization" };
    await service.behave({ answers: [{ status: 200, headers }] });
    await ask();
    expect(namesOf(limits)).toBe("transaction");
  });

  it("may have a fault", async () => {
    const { ask, service, lines } = await startDispatcher();
    await service.behave({ answers: [502] });
    await ask();
    expect(lines).toEqual([{ level: "warn", event: "service answers", fields: { status: 502 } }]);
  });

  it("may be away", async () => {
    const { ask, service, lines } = await startDispatcher();
    await service.behave("refuse");
    await ask();
    expect(lines).toEqual([
      {
        level: "warn",
        event: "service can't be reached",
        fields: { cause: expect.stringContaining("ECONNREFUSED") },
      },
    ]);
  });
});

describe("the clock of who sent a report", () => {
  const sentAt = (time: unknown) =>
    Buffer.from(
      errorEnvelope()
        .toString()
        .replace('"2020-01-01T00:00:00.000Z"', JSON.stringify(time) ?? "null"),
    );

  it("goes to the service, moved on by the time that the report has waited here", async () => {
    const { outbox, service, clock, delays } = await startDispatcher();
    delays.hold("claim");
    await outbox.append(sentAt("2020-01-01T00:00:00.000Z"), "browser");
    await expect.poll(() => delays.held("claim")).toBe(1);
    clock.now += 3_600_000;
    delays.pass("claim");
    const { header } = await service.waitFor((s) => s.envelopes[0]);
    expect(header.sent_at).toBe("2020-01-01T01:00:00.000Z");
  });

  it("is moved on by the store's clock alone: that of this server may be another one", async () => {
    const clock = { now: Date.UTC(2026, 0, 1) };
    const behind = { now: clock.now - 300_000 };
    const open = () => ({ ...openOutbox({ clock: behind }), clock });
    const { outbox, service } = await startDispatcher({ open });
    await outbox.append(sentAt("2020-01-01T00:00:00.000Z"), "browser");
    const { header } = await service.waitFor((s) => s.envelopes[0]);
    expect(header.sent_at).toBe("2020-01-01T00:00:00.000Z");
  });

  it.each([null, "yesterday", 12, "+275760-09-13T00:00:00.000Z", "-000001-01-01T00:00:00Z"])(
    "is this server's where it is %j",
    async (time) => {
      const { outbox, service, clock } = await startDispatcher();
      await outbox.append(sentAt(time), "browser");
      const { header } = await service.waitFor((s) => s.envelopes[0]);
      expect(header.sent_at).toBe(new Date(clock.now).toISOString());
    },
  );
});
