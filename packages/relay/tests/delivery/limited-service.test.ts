import { describe, expect, it } from "vitest";
import { idsOf, pauses, startDispatcher } from "@/tests/support/dispatchers";
import { namesOf } from "@/tests/support/limited-names";
import { dropsIn, openOutbox, statsOf } from "@/tests/support/outboxes";
import {
  envelopeOf,
  errorEnvelope,
  eventId,
  transactionEnvelope,
} from "@/tests/support/sdk-envelopes";
import { type ReceivedEnvelope, startService } from "@/tests/support/service";

const span = envelopeOf({}, [{ type: "span" }, "{}"]);

const typeOf = ({ items }: ReceivedEnvelope) => items[0]?.header.type;

describe("when the service asks for less, the dispatcher", () => {
  it("keeps the named categories back, and delivers the others", async () => {
    const { outbox, service, limits, clock } = await startDispatcher();
    const headers = { "X-Sentry-Rate-Limits": "100:error;session:organization" };
    await service.behave({ answers: [{ status: 429, headers }, 200] });
    const id = eventId();
    await outbox.append(errorEnvelope(id), "browser");
    await expect.poll(() => namesOf(limits)).toBe("error, session");
    await outbox.append(span, "browser");
    await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.items("span").length === 1);
    expect(service.attempts).toHaveLength(2);
    expect(await dropsIn(outbox)).toEqual([]);
    clock.now += 100_000;
    await service.waitFor((s) => s.items("event").length === 2);
    expect(idsOf(service.envelopes)).toContain(id);
  });

  it("keeps all back for as long as Retry-After says", async () => {
    const { outbox, service, limits, clock, manyPolls } = await startDispatcher();
    await service.behave({ answers: [{ status: 429, headers: { "Retry-After": "30" } }, 200] });
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => namesOf(limits)).toBe("all");
    clock.now += 29_999;
    await outbox.append(span, "browser");
    await manyPolls();
    expect(service.attempts).toHaveLength(1);
    clock.now += 1;
    await service.waitFor((s) => s.envelopes.length === 2);
  });

  it("keeps what is old when the service is back and asks for less: it has offered none of it", async () => {
    const service = await startService();
    await service.behave("refuse");
    let uptime = 0;
    const opened = openOutbox({ uptime: () => uptime });
    for (let n = 0; n < 20; n++) await opened.outbox.append(errorEnvelope(), "browser");
    const { lines, clock, limits, manyPolls } = await startDispatcher({
      service,
      open: () => opened,
    });
    await expect.poll(() => lines).not.toEqual([]);
    const { acknowledged } = opened.outbox;
    const failed = acknowledged.later;
    clock.now += 25 * 60 * 60_000;
    await expect.poll(() => acknowledged.later).toBeGreaterThan(failed);
    // An attempt that is still to be acknowledged would be the last one of its report.
    await manyPolls();
    await service.behave({ answers: [{ status: 429, headers: { "Retry-After": "120" } }, 200] });
    uptime += 25 * 60 * 60_000;
    clock.now += 61_000;
    await expect.poll(() => namesOf(limits)).toBe("all");
    clock.now += 61_000;
    await manyPolls();
    await manyPolls();
    clock.now += 61_000;
    await service.waitFor((s) => s.envelopes.length === 20);
    expect(await dropsIn(opened.outbox)).toEqual([]);
  });

  it("backs off from a 429 that names other categories only", async () => {
    const { outbox, service, hurry } = await startDispatcher();
    const headers = { "X-Sentry-Rate-Limits": "1000:session:organization" };
    const refusal = { status: 429, headers };
    await service.behave({ answers: [refusal, refusal, refusal, 200] });
    await outbox.append(errorEnvelope(), "browser");
    hurry();
    await service.waitFor((s) => s.envelopes[0]);
    expect(pauses(service.attempts).every((pause) => pause >= 1)).toBe(true);
  });

  it("lets nothing else wait for errors that are refused by a limit it doesn't know", async () => {
    const { outbox, service, clock, manyPolls, lines } = await startDispatcher();
    const isError = (envelope: ReceivedEnvelope) => typeOf(envelope) === "event";
    const headers = { "X-Sentry-Rate-Limits": "1000:tomorrow:organization" };
    await service.behave((envelope) => (isError(envelope) ? { status: 429, headers } : 200));
    const refused = () => service.attempts.filter(isError).length;
    await outbox.append(errorEnvelope(), "browser");
    await service.waitFor(() => refused() === 1);
    await manyPolls();
    // These find the way, while other errors are held back.
    await outbox.append(errorEnvelope(), "browser");
    await outbox.append(envelopeOf({}, [{ type: "feedback" }, "{}"]), "browser");
    await outbox.append(span, "browser");
    await service.waitFor((s) => s.envelopes.length === 2);
    await manyPolls();
    expect(refused()).toBe(1);
    for (let n = 0; n < 50; n++) await outbox.append(errorEnvelope(), "browser");
    for (let n = 0; n < 15; n++) {
      clock.now += 4000;
      await manyPolls();
    }
    // Up to sixteen together, and then none for five seconds.
    expect(refused()).toBeLessThan(200);
    await service.behave("ok");
    for (let n = 0; n < 15 && service.items("event").length < 52; n++) {
      clock.now += 10_000;
      await manyPolls();
    }
    expect(service.items("event")).toHaveLength(52);
    expect(lines.map(({ event }) => event)).not.toContain("service takes no reports");
  });

  it("logs each limit once by its categories, although its end changes with each answer, and that it is over", async () => {
    const { outbox, service, lines, clock, limits, manyPolls } = await startDispatcher();
    let seconds = 100;
    await service.behave(() => {
      seconds += 10;
      return { status: 200, headers: { "X-Sentry-Rate-Limits": `${seconds}:span:organization` } };
    });
    for (let n = 0; n < 10; n++) await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0 });
    const told = () => lines.map(({ event, fields }) => [event, fields]);
    const limited = (seconds: unknown) => [
      "service limits reports",
      { categories: "span", seconds },
    ];
    await expect.poll(told).toEqual([limited(expect.stringMatching(/^1[1-9]\d|200$/))]);
    clock.now += 250_000;
    // For a minute now and then: nothing that is over.
    for (let minutes = 0; minutes < 5; minutes++) {
      limits.learn(200, { "x-sentry-rate-limits": "50:span:organization" });
      await manyPolls();
      clock.now += 59_000;
      await manyPolls();
    }
    expect(told()).toHaveLength(1);
    limits.learn(200, { "x-sentry-rate-limits": "50:span:organization" });
    limits.learn(200, { "x-sentry-rate-limits": "86400:span:organization, 60:session:project" });
    await manyPolls();
    expect(told().slice(1)).toEqual([
      ["service limits reports", { categories: "session, span", seconds: "60, 86400" }],
    ]);
    clock.now += 60_000;
    await manyPolls();
    expect(told().slice(2)).toEqual([limited("86340")]);
    limits.learn(200, { "x-sentry-rate-limits": "86400:span:organization" });
    clock.now += 86_399_999;
    await manyPolls();
    clock.now += 59_999;
    await manyPolls();
    expect(told()).toHaveLength(3);
    clock.now += 1;
    await manyPolls();
    expect(told().slice(3)).toEqual([["service limits reports no more", {}]]);
  });

  it("puts back what it claimed when the service limited it meanwhile", async () => {
    const { outbox, service, delays, limits, clock } = await startDispatcher();
    delays.hold("claim");
    await outbox.append(errorEnvelope(), "browser");
    await outbox.append(span, "browser");
    await expect.poll(() => delays.held("claim")).toBe(1);
    limits.learn(429, { "x-sentry-rate-limits": "100:error:organization" });
    delays.pass("claim");
    await service.waitFor((s) => s.items("span").length === 1);
    await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 1 });
    expect(service.attempts).toHaveLength(1);
    clock.now += 100_000;
    await service.waitFor((s) => s.items("event").length === 1);
  });
});

describe("a limit of one category in an envelope", () => {
  const limitedFor = (names: string, seconds = 3600) => ({
    "X-Sentry-Rate-Limits": `${seconds}:${names}:organization`,
  });
  const typesOf = ({ items }: ReceivedEnvelope) => items.map(({ header }) => header.type);

  it.each([
    [["event", "attachment"], "attachment"],
    [["transaction", "profile"], "profile"],
    [["transaction", "client_report"], "transaction"],
  ])("of %j lets the rest go without the %s, and counts that", async (types, limited) => {
    const { outbox, service } = await startDispatcher();
    await service.behave(() => ({ status: 200, headers: limitedFor(limited) }));
    // Until it is known.
    await outbox.append(span, "browser");
    await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0 });
    const items = types.map((type): [{ type: string }, string] => [{ type }, `{"of":"${type}"}`]);
    await outbox.append(envelopeOf({ event_id: eventId() }, ...items), "browser");
    const [, sent] = await service.waitFor((s) => s.envelopes.length === 2 && s.envelopes);
    expect(sent && typesOf(sent)).toEqual(types.filter((type) => type !== limited));
    await expect
      .poll(() => dropsIn(outbox))
      .toEqual([{ reason: "ratelimit_backoff", category: limited, quantity: 1 }]);
    await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0 });
  });

  it("is learned from a 429 too: the rest is sent again, once", async () => {
    const { outbox, service } = await startDispatcher();
    await service.behave((envelope) =>
      typesOf(envelope).includes("attachment")
        ? { status: 429, headers: limitedFor("attachment") }
        : 200,
    );
    await outbox.append(
      envelopeOf({ event_id: eventId() }, [{ type: "event" }, "{}"], [{ type: "attachment" }, "a"]),
      "browser",
    );
    await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0 });
    expect(service.attempts.map(typesOf)).toEqual([["event", "attachment"], ["event"]]);
  });

  it("lets an attachment wait with its error, and one alone by itself", async () => {
    const { outbox, service, limits, clock, manyPolls } = await startDispatcher();
    limits.learn(200, { "x-sentry-rate-limits": "100:error:organization" });
    const attachment = { type: "attachment" };
    const whole = envelopeOf({}, [{ type: "event" }, "{}"], [attachment, "a"]);
    await outbox.append(whole, "browser");
    await manyPolls();
    expect(service.attempts).toEqual([]);
    limits.learn(200, { "x-sentry-rate-limits": "200:attachment:organization" });
    await outbox.append(envelopeOf({}, [attachment, "b"]), "browser");
    clock.now += 100_000;
    expect(typesOf(await service.waitFor((s) => s.envelopes[0]))).toEqual(["event"]);
    await manyPolls();
    // A client report of the first attachment may have been sent.
    const attachments = () =>
      service.attempts.map(typesOf).filter(([type]) => type === "attachment");
    expect(attachments()).toEqual([]);
    clock.now += 100_000;
    await expect.poll(attachments).toEqual([["attachment"]]);
  });

  it("that comes while a report waits for its source keeps the report", async () => {
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { outbox, service, limits, clock, underWay } = await startDispatcher({
      resolve: async (envelope) => {
        await held;
        return envelope;
      },
    });
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(underWay).toBe(1);
    limits.learn(200, { "x-sentry-rate-limits": "100:error:organization" });
    goOn();
    await expect.poll(underWay).toBe(0);
    expect(service.attempts).toEqual([]);
    clock.now += 100_000;
    await service.waitFor((s) => s.items("event").length === 1);
  });
});

describe("errors", () => {
  it.each([200, 429])(
    "arrive at once while the service limits transactions for a day, by a %i",
    async (status) => {
      const { outbox, service, clock } = await startDispatcher();
      const headers = { "X-Sentry-Rate-Limits": "86400:transaction;span:organization" };
      await service.behave((envelope) =>
        typeOf(envelope) === "transaction" ? { status, headers } : { status: 200, headers },
      );
      const appends: Promise<void>[] = [];
      const errors = Array.from({ length: 20 }, eventId);
      for (const id of errors) {
        for (let n = 0; n < 150; n++) appends.push(outbox.append(transactionEnvelope(), "server"));
        appends.push(outbox.append(errorEnvelope(id), "browser"));
        await service.waitFor((s) => idsOf(s.envelopes).includes(id));
        // The limit's end moves with each answer.
        clock.now += 1000;
        await expect.poll(() => statsOf(outbox)).toMatchObject({ highWaiting: 0 });
      }
      await Promise.all(appends);
      clock.now += 60_000;
      await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0 });
      const arrived = service.envelopes.filter((one) => typeOf(one) === "transaction").length;
      const [drops] = await dropsIn(outbox);
      expect(drops).toMatchObject({ reason: "ratelimit_backoff", category: "transaction" });
      expect(drops?.quantity).toBeGreaterThanOrEqual(3000 - arrived);
      expect(service.attempts.length).toBeLessThan(100);
    },
  );

  it("and feedback wait out a limit of a day, within the outbox's age", async () => {
    const { outbox, service, limits, clock } = await startDispatcher();
    const headers = { "X-Sentry-Rate-Limits": "80000::organization" };
    await service.behave({ answers: [{ status: 429, headers }, 200] });
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => limits.limited()).not.toBe(0);
    await outbox.append(envelopeOf({}, [{ type: "feedback" }, "{}"]), "server");
    await outbox.append(transactionEnvelope(), "server");
    expect(await statsOf(outbox)).toMatchObject({ waiting: 3, highWaiting: 2 });
    clock.now += 60_000;
    const dropped = { reason: "ratelimit_backoff", category: "transaction", quantity: 1 };
    await expect.poll(() => dropsIn(outbox)).toEqual([dropped]);
    clock.now += 80_000_000;
    await service.waitFor((s) => s.items("event").length + s.items("feedback").length === 2);
    expect(service.items("transaction")).toEqual([]);
  });
});
