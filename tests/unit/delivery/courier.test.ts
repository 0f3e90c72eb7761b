import { renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ServiceLimits } from "@/lib/delivery/service-limits";
import { categorySet } from "@/lib/envelope/categories";
import { OutboxError } from "@/lib/outbox/outbox";
import { startCourier } from "@/tests/support/couriers";
import { generousBounds, openOutbox } from "@/tests/support/outboxes";
import {
  envelopeOf,
  errorEnvelope,
  eventId,
  transactionEnvelope,
} from "@/tests/support/sdk-envelopes";
import { publicKey, type ReceivedEnvelope, startService } from "@/tests/support/service";

const next = { limit: 100, without: 0, failedLast: false };
const span = envelopeOf({}, [{ type: "span" }, "{}"]);

function idsOf(envelopes: ReceivedEnvelope[]): unknown[] {
  return envelopes.map(({ header }) => header.event_id);
}

/** Seconds between one try and the next, by the courier's own clock. */
function pauses(attempts: ReceivedEnvelope[]): number[] {
  const times = attempts.map(({ header }) => Date.parse(String(header.sent_at)));
  return times.slice(1).map((time, i) => Math.floor((time - (times[i] ?? 0)) / 1000));
}

/** Polls are over that would have done what they should not do. */
async function manyPolls({ calls }: Awaited<ReturnType<typeof startCourier>>["delays"]) {
  const before = calls("note");
  await expect.poll(() => calls("note")).toBeGreaterThan(before + 20);
}

describe("the courier", () => {
  it("delivers what is appended, addressed to the service", async () => {
    const { outbox, service, clock } = await startCourier();
    const id = eventId();
    await outbox.append(errorEnvelope(id), "browser");
    const envelope = await service.waitFor((s) => s.envelopes[0]);
    expect(envelope.path).toBe("/api/42/envelope/");
    expect(envelope.header).toEqual({
      event_id: id,
      dsn: service.dsn,
      sent_at: new Date(clock.now).toISOString(),
      trace: { trace_id: id, public_key: publicKey },
    });
    expect(envelope.items[0]?.payload).toMatchObject({ event_id: id });
    expect(Object.keys(envelope.requestHeaders).sort()).toEqual([
      "connection",
      "content-length",
      "content-type",
      "host",
      "user-agent",
      "x-sentry-auth",
    ]);
    expect(envelope.requestHeaders["x-sentry-auth"]).toContain(`sentry_key=${publicKey}`);
    await expect.poll(() => outbox.stats()).toMatchObject({ waiting: 0, lastDelivery: clock.now });
  });

  it("sends what resolving makes of a report, and the report itself where that fails", async () => {
    const resolved = errorEnvelope();
    const { outbox, service, lines } = await startCourier({
      resolve: async ({ envelope }) => {
        if (span.equals(envelope)) throw new Error("broken");
        return resolved;
      },
    });
    await outbox.append(errorEnvelope(), "browser");
    const envelope = await service.waitFor((s) => s.envelopes[0]);
    expect(resolved.toString()).toContain(String(envelope.header.event_id));
    await outbox.append(span, "browser");
    await service.waitFor((s) => s.items("span")[0]);
    expect(lines).toEqual([
      { level: "warn", event: "report not resolved", fields: { cause: "Error: broken" } },
    ]);
  });

  it("doesn't wait for resolving when it stops: the report is sent as it is", async () => {
    let asked = 0;
    const { outbox, service, courier, stored } = await startCourier({
      resolve: () => {
        asked++;
        return new Promise(() => {});
      },
    });
    const id = eventId();
    await outbox.append(errorEnvelope(id), "browser");
    await expect.poll(() => asked).toBe(1);
    expect(service.attempts).toEqual([]);
    await courier.stop(10_000);
    expect(idsOf(service.envelopes)).toEqual([id]);
    expect(stored()).toEqual([]);
  });

  it("lets many reports wait to be resolved, without a warning, and stops for none of them", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on("warning", note);
    onTestFinished(() => void process.off("warning", note));
    let asked = 0;
    const { outbox, service, courier } = await startCourier({
      resolve: () => {
        asked++;
        return new Promise(() => {});
      },
    });
    const ids = Array.from({ length: 16 }, eventId);
    for (const id of ids) await outbox.append(errorEnvelope(id), "browser");
    await expect.poll(() => asked).toBe(16);
    await courier.stop(10_000);
    expect(idsOf(service.envelopes).sort()).toEqual([...ids].sort());
    expect(warnings).toEqual([]);
  });

  it("names the visitor's address where it was kept", async () => {
    const { outbox, service } = await startCourier();
    await outbox.append(errorEnvelope(), "browser", { clientAddress: "192.0.2.1" });
    const { requestHeaders } = await service.waitFor((s) => s.envelopes[0]);
    expect(requestHeaders["x-forwarded-for"]).toBe("192.0.2.1");
  });

  it("delivers what was there when it starts, in order of arrival", async () => {
    const { outbox, file } = openOutbox();
    const ids = Array.from({ length: 100 }, eventId);
    for (const id of ids) await outbox.append(errorEnvelope(id), "browser");
    const stored = await outbox.list({ after: 0, limit: 100 });
    const taken: number[] = [];
    const { service } = await startCourier({
      file,
      resolve: async ({ id, envelope }) => {
        taken.push(id);
        return envelope;
      },
    });
    await service.waitFor((s) => s.envelopes.length === 100);
    expect(taken).toEqual(stored.map(({ id }) => id));
    // Some are under way together, and arrive as the network will have it.
    expect(idsOf(service.envelopes).sort()).toEqual([...ids].sort());
  });

  it("sends no more than sixteen at once", async () => {
    const { outbox, service } = await startCourier();
    await service.behave("hang");
    for (let n = 0; n < 30; n++) await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.attempts.length === 16);
    // One more would have come before the answer to a question asked after it.
    await expect(service.waitFor((s) => s.attempts.length > 16, 100)).rejects.toThrow("Not within");
  });

  it("delivers nothing twice while two are at work on one outbox", async () => {
    const service = await startService();
    const one = await startCourier({ service });
    const two = await startCourier({ service, file: one.file });
    const ids = Array.from({ length: 300 }, eventId);
    await Promise.all(
      ids.map((id, i) => (i % 2 ? one : two).outbox.append(errorEnvelope(id), "browser")),
    );
    await service.waitFor((s) => s.envelopes.length >= 300);
    await expect.poll(() => one.stored()).toEqual([]);
    expect(idsOf(service.attempts).sort()).toEqual(ids.sort());
  });
});

describe("when the service fails, the courier", () => {
  it("tries again after 1 s, then twice as long each time up to a minute, until it is taken", async () => {
    const { outbox, service, hurry, lines } = await startCourier();
    await service.behave({ answers: [500, 503, 408, 500, 502, 500, 504, 500, 200] });
    await outbox.append(errorEnvelope(), "browser");
    hurry();
    await service.waitFor((s) => s.envelopes[0], 20_000);
    expect(pauses(service.attempts)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    await expect
      .poll(() => lines.map(({ event }) => event))
      .toEqual(["service takes no reports", "service takes reports again"]);
  });

  it("tries again after 1 s although the clock was set back", async () => {
    const { outbox, service, delays, clock } = await startCourier();
    await service.behave({ answers: [500, 200] });
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => delays.calls("requeue")).toBe(1);
    clock.setBy = -3_600_000;
    clock.now += 1000;
    await service.waitFor((s) => s.envelopes[0]);
  });

  it("tries with one report at a time", async () => {
    const { outbox, service, hurry } = await startCourier();
    await service.behave({ answers: [500] });
    await Promise.all(Array.from({ length: 30 }, () => outbox.append(errorEnvelope(), "browser")));
    hurry();
    await service.waitFor((s) => s.attempts.length === 20);
    // Up to sixteen were under way when the first failed.
    const alone = pauses(service.attempts).slice(16);
    expect(alone.every((pause) => pause >= 1)).toBe(true);
  });

  it("tries again when connections break, and when nothing listens", async () => {
    const { outbox, service, hurry } = await startCourier();
    await service.behave("reset");
    const id = eventId();
    await outbox.append(errorEnvelope(id), "browser");
    await service.waitFor((s) => s.attempts.length > 0);
    await service.behave("refuse");
    hurry();
    await service.behave("ok");
    expect((await service.waitFor((s) => s.envelopes[0])).header.event_id).toBe(id);
  });

  it("takes a connection that was closed while idle for no failure", async () => {
    const { outbox, service, lines } = await startCourier();
    await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.envelopes.length === 1);
    await expect.poll(() => outbox.stats()).toMatchObject({ waiting: 0 });
    await service.behave("resetReused");
    await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.envelopes.length === 2);
    expect(lines).toEqual([]);
  });

  it("gives up waiting for an answer after its limit", async () => {
    const time = { connectMs: 1000, responseMs: 50 };
    const { outbox, service, hurry } = await startCourier({ time });
    await service.behave("hang");
    await outbox.append(errorEnvelope(), "browser");
    hurry();
    await service.waitFor((s) => s.attempts.length >= 2);
    await service.behave("ok");
    await service.waitFor((s) => s.envelopes[0]);
  });

  it.each(["hang", "reset"] as const)(
    "goes by the status of an answer that does not end: %s",
    async (unfinished) => {
      const { outbox, service, lines } = await startCourier({ time: { restMs: 50 } });
      await service.behave({ unfinished });
      await outbox.append(errorEnvelope(), "browser");
      await expect.poll(() => outbox.stats()).toMatchObject({ waiting: 0 });
      expect(service.attempts).toHaveLength(1);
      expect(lines).toEqual([]);
    },
  );

  it("gives up waiting for a connection after its limit", async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      silent.close();
    });
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : 0;
    const { outbox, lines } = await startCourier({
      dsn: `https://key@127.0.0.1:${port}/1`,
      time: { connectMs: 50, responseMs: 60_000 },
    });
    await outbox.append(errorEnvelope(), "browser");
    await expect
      .poll(() => lines)
      .toContainEqual({
        level: "warn",
        event: "service takes no reports",
        fields: { cause: "Error: The connection took too long." },
      });
    expect(await outbox.stats()).toMatchObject({ waiting: 1 });
  });

  it("lets no report that the service can't process block the rest", async () => {
    const { outbox, service, hurry } = await startCourier();
    const bad = eventId();
    await service.behave(({ header }) => (header.event_id === bad ? 500 : 200));
    await outbox.append(errorEnvelope(bad), "browser");
    for (let n = 0; n < 50; n++) await outbox.append(errorEnvelope(), "browser");
    hurry();
    await service.waitFor((s) => s.envelopes.length === 50);
    await service.behave("ok");
    await service.waitFor((s) => idsOf(s.envelopes).includes(bad), 20_000);
  });

  it("lets no run of reports that the service can't process hold up the rest", async () => {
    const { outbox, service, clock, delays } = await startCourier();
    const bad = new Set(Array.from({ length: 50 }, eventId));
    const isBad = (id: unknown) => bad.has(String(id));
    await service.behave(({ header }) => (isBad(header.event_id) ? 500 : 200));
    for (const id of bad) await outbox.append(errorEnvelope(id), "browser");
    const good = Array.from({ length: 200 }, () => outbox.append(errorEnvelope(), "browser"));
    await Promise.all(good);
    let seconds = 0;
    for (; service.envelopes.length < good.length && seconds < 60; seconds++) {
      clock.now += 1000;
      await manyPolls(delays);
    }
    expect(service.envelopes).toHaveLength(good.length);
    expect(seconds).toBeLessThan(20);
    // Later, what fails again and again pauses nothing else.
    for (let n = 0; n < 8; n++) {
      clock.now += 15_000;
      await manyPolls(delays);
    }
    const late = eventId();
    await outbox.append(errorEnvelope(late), "browser");
    await service.waitFor((s) => idsOf(s.envelopes).includes(late));
    // A service that takes nothing is left alone, whatever has failed before.
    await service.behave({ answers: [500] });
    for (let n = 0; n < 30; n++) await outbox.append(errorEnvelope(), "browser");
    await manyPolls(delays);
    const before = service.attempts.length;
    for (let n = 0; n < 15; n++) {
      clock.now += 4000;
      await manyPolls(delays);
    }
    expect(service.attempts.length - before).toBeLessThan(10);
    await service.behave("ok");
    clock.now += 60_000;
    await service.waitFor((s) => s.envelopes.length >= 281);
  });

  it("finds the reports of others among those of one sender that the service can't process", async () => {
    const { outbox, service, clock, delays } = await startCourier();
    const good = new Set<unknown>();
    await service.behave(({ header }) => (good.has(header.event_id) ? 200 : 500));
    const send = (id: string, sender: string) =>
      outbox.append(errorEnvelope(id), "browser", { sender });
    for (let n = 0; n < 100; n++) await send(eventId(), "bad");
    for (const sender of ["a", "b", "c"]) {
      const id = eventId();
      good.add(id);
      await send(id, sender);
    }
    // Newer and older ones are those of the bad one.
    for (let n = 0; n < 100; n++) await send(eventId(), "bad");
    let seconds = 0;
    for (; service.envelopes.length < good.size && seconds < 60; seconds++) {
      clock.now += 1000;
      await manyPolls(delays);
    }
    expect(service.envelopes).toHaveLength(good.size);
    expect(seconds).toBeLessThan(10);
  });

  it.each([400, 401, 403, 404, 413])(
    "drops what is answered %i, and reports that",
    async (status) => {
      const { outbox, service, clock, lines } = await startCourier();
      await service.behave({ answers: [status, 200] });
      await outbox.append(errorEnvelope(), "browser");
      await expect
        .poll(() => outbox.drops())
        .toEqual([{ reason: "send_error", category: "error", quantity: 1 }]);
      // The first client report may have been on its way.
      await expect.poll(() => outbox.stats()).toMatchObject({ waiting: 0 });
      expect(lines).toContainEqual({
        level: "warn",
        event: "service refuses reports",
        fields: { status },
      });
      clock.now += 60_000;
      const report = await service.waitFor((s) => s.items("client_report")[0]);
      expect(report.payload).toMatchObject({
        discarded_events: [{ reason: "send_error", category: "error", quantity: 1 }],
      });
    },
  );
});

describe("when the service asks for less, the courier", () => {
  it("keeps the named categories back, and delivers the others", async () => {
    const { outbox, service, limits, clock } = await startCourier();
    const headers = { "X-Sentry-Rate-Limits": "100:error;session:organization" };
    await service.behave({ answers: [{ status: 429, headers }, 200] });
    const id = eventId();
    await outbox.append(errorEnvelope(id), "browser");
    await expect.poll(() => limits.header()).toBe("100:error;session:organization");
    await outbox.append(span, "browser");
    await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.items("span").length === 1);
    expect(service.attempts).toHaveLength(2);
    expect(await outbox.drops()).toEqual([]);
    clock.now += 100_000;
    await service.waitFor((s) => s.items("event").length === 2);
    expect(idsOf(service.envelopes)[1]).toBe(id);
  });

  it("keeps all back for as long as Retry-After says", async () => {
    const { outbox, service, limits, hurry } = await startCourier();
    await service.behave({ answers: [{ status: 429, headers: { "Retry-After": "30" } }, 200] });
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => limits.header()).toBe("30::organization");
    hurry();
    await service.waitFor((s) => s.envelopes[0]);
    // Each reading of the hurried clock takes 0.1 s, and chance decides how many there are.
    expect(service.attempts).toHaveLength(2);
    const [pause] = pauses(service.attempts);
    expect(pause).toBeGreaterThanOrEqual(30);
    expect(pause).toBeLessThan(35);
  });

  it("backs off from a 429 that names other categories only", async () => {
    const { outbox, service, hurry } = await startCourier();
    const headers = { "X-Sentry-Rate-Limits": "1000:session:organization" };
    const refusal = { status: 429, headers };
    await service.behave({ answers: [refusal, refusal, refusal, 200] });
    await outbox.append(errorEnvelope(), "browser");
    hurry();
    await service.waitFor((s) => s.envelopes[0]);
    expect(pauses(service.attempts).every((pause) => pause >= 1)).toBe(true);
  });

  it("lets nothing else wait for errors that are refused by a limit it doesn't know", async () => {
    const { outbox, service, clock, delays, lines } = await startCourier();
    const isError = ({ items }: ReceivedEnvelope) => items[0]?.header.type === "event";
    const headers = { "X-Sentry-Rate-Limits": "1000:tomorrow:organization" };
    await service.behave((envelope) => (isError(envelope) ? { status: 429, headers } : 200));
    const refused = () => service.attempts.filter(isError).length;
    await outbox.append(errorEnvelope(), "browser");
    await service.waitFor(() => refused() === 1);
    await manyPolls(delays);
    // These find the way, while other errors are held back.
    await outbox.append(errorEnvelope(), "browser");
    await outbox.append(envelopeOf({}, [{ type: "feedback" }, "{}"]), "browser");
    await outbox.append(span, "browser");
    await service.waitFor((s) => s.envelopes.length === 2);
    await manyPolls(delays);
    expect(refused()).toBe(1);
    for (let n = 0; n < 50; n++) await outbox.append(errorEnvelope(), "browser");
    for (let n = 0; n < 15; n++) {
      clock.now += 4000;
      await manyPolls(delays);
    }
    // Up to sixteen together in each five seconds, and what failed before one at a time.
    expect(refused()).toBeLessThan(100);
    await service.behave("ok");
    for (let n = 0; n < 15 && service.items("event").length < 52; n++) {
      clock.now += 10_000;
      await manyPolls(delays);
    }
    expect(service.items("event")).toHaveLength(52);
    expect(lines.map(({ event }) => event)).not.toContain("service takes no reports");
  });

  it("keeps limits that come with a 200, and hands them to the next process", async () => {
    const { outbox, service, limits, courier, file, clock } = await startCourier();
    const headers = { "X-Sentry-Rate-Limits": "50:span:organization" };
    await service.behave({ answers: [{ status: 200, headers }, 200] });
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => limits.header()).toBe("50:span:organization");
    await courier.stop(1000);
    const other = await startCourier({ service, file, clock });
    await expect.poll(() => other.limits.header()).toBe("50:span:organization");
  });
});

describe("errors", () => {
  const typeOf = ({ items }: ReceivedEnvelope) => items[0]?.header.type;

  it.each([200, 429])(
    "arrive at once while the service limits transactions for a day, by a %i",
    async (status) => {
      const { outbox, service, clock } = await startCourier();
      const headers = { "X-Sentry-Rate-Limits": "86400:transaction;span:organization" };
      await service.behave(({ items }) =>
        items[0]?.header.type === "transaction" ? { status, headers } : { status: 200, headers },
      );
      const appends: Promise<void>[] = [];
      const errors = Array.from({ length: 20 }, eventId);
      for (const id of errors) {
        for (let n = 0; n < 150; n++) appends.push(outbox.append(transactionEnvelope(), "server"));
        appends.push(outbox.append(errorEnvelope(id), "browser"));
        await service.waitFor((s) => idsOf(s.envelopes).includes(id));
        // The limit's end moves with each answer.
        clock.now += 1000;
        await expect.poll(() => outbox.stats()).toMatchObject({ waiting: 0 });
      }
      await Promise.all(appends);
      await expect.poll(() => outbox.stats()).toMatchObject({ waiting: 0 });
      const arrived = service.envelopes.filter((one) => typeOf(one) === "transaction").length;
      const [drops] = await outbox.drops();
      expect(drops).toMatchObject({ reason: "ratelimit_backoff", category: "transaction" });
      expect(drops?.quantity).toBeGreaterThanOrEqual(3000 - arrived);
      expect(service.attempts.length).toBeLessThan(100);
    },
  );

  it("and feedback wait out a limit of a day, within the outbox's age", async () => {
    const { outbox, service, limits, clock } = await startCourier();
    const headers = { "X-Sentry-Rate-Limits": "80000::organization" };
    await service.behave({ answers: [{ status: 429, headers }, 200] });
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => limits.limited()).not.toBe(0);
    await outbox.append(envelopeOf({}, [{ type: "feedback" }, "{}"]), "server");
    await outbox.append(transactionEnvelope(), "server");
    expect(await outbox.stats()).toMatchObject({ waiting: 2, highWaiting: 2 });
    clock.now += 80_000_000;
    await service.waitFor((s) => s.envelopes.length === 2);
    expect(service.envelopes.map(typeOf).sort()).toEqual(["event", "feedback"]);
  });

  it("are accepted while measurements fill the outbox of a dead service, and arrive first when it is back", async () => {
    const bounds = { ...generousBounds, maxBytes: 1024 * 1024 };
    const service = await startService();
    await service.behave("refuse");
    const { outbox, hurry } = await startCourier({ service, bounds });
    const measurements = await Promise.allSettled(
      Array.from({ length: 400 }, () => outbox.append(transactionEnvelope("", 3000), "browser")),
    );
    expect(measurements.filter(({ status }) => status === "rejected").length).toBeGreaterThan(0);
    const errors = Array.from({ length: 50 }, eventId);
    for (const id of errors) await outbox.append(errorEnvelope(id), "browser");
    await service.behave("ok");
    hurry();
    await service.waitFor((s) => errors.every((id) => idsOf(s.envelopes).includes(id)));
    // Before the last: what was under way with the first that was taken, and what takes the place of
    // errors that wait out a back-off of their own.
    const before = service.envelopes.findLastIndex((one) => typeOf(one) === "event") + 1;
    expect(before - errors.length).toBeLessThanOrEqual(32);
    await service.waitFor((s) => s.items("transaction").length > 200);
  });
});

describe("limits", () => {
  it("are logged once by their categories and written once a second, although they change with each answer", async () => {
    const { outbox, service, delays, clock, lines } = await startCourier();
    let seconds = 100;
    await service.behave(() => {
      seconds += 10;
      return { status: 200, headers: { "X-Sentry-Rate-Limits": `${seconds}:span:organization` } };
    });
    for (let n = 0; n < 10; n++) await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => outbox.stats()).toMatchObject({ waiting: 0 });
    expect(delays.calls("setNote")).toBe(1);
    clock.now += 1000;
    await expect.poll(() => delays.calls("setNote")).toBe(2);
    expect(await outbox.note("service-limits")).toContain(String(clock.now - 1000 + 200_000));
    expect(lines.map(({ event, fields }) => [event, fields])).toEqual([
      ["service limits reports", { categories: "span" }],
    ]);
  });

  it("that can't be read are ignored, and that is logged", async () => {
    const { outbox, service, lines } = await startCourier();
    await outbox.setNote("service-limits", "no JSON");
    await expect
      .poll(() => lines.map(({ event }) => event))
      .toEqual(["service limits not readable"]);
    await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.envelopes[0]);
  });
});

describe("stopping the courier", () => {
  it("sends first what it can, what is being appended included, and lets another take over at once", async () => {
    const { outbox, service, courier, file } = await startCourier();
    await service.behave({ slow: 5 });
    for (let n = 0; n < 30; n++) void outbox.append(errorEnvelope(), "browser");
    await courier.stop(10_000);
    expect(service.envelopes).toHaveLength(30);
    expect(await outbox.stats()).toMatchObject({ waiting: 0 });
    await outbox.append(errorEnvelope(), "browser");
    await startCourier({ service, file });
    await service.waitFor((s) => s.envelopes.length === 31);
  });

  it("leaves behind what the service doesn't take in time", async () => {
    const { outbox, service, courier } = await startCourier();
    await service.behave("hang");
    for (let n = 0; n < 3; n++) await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.attempts.length === 3);
    await courier.stop(50);
    expect(await outbox.stats()).toMatchObject({ waiting: 3 });
    expect(await outbox.claim(next)).toHaveLength(3);
  });
});

describe("while the outbox is slow to answer, the courier", () => {
  it("makes one claim at a time, and sends no report twice", async () => {
    const { outbox, service, delays } = await startCourier();
    delays.hold("claim");
    const ids = Array.from({ length: 20 }, eventId);
    for (const id of ids) await outbox.append(errorEnvelope(id), "browser");
    await expect.poll(() => delays.held("claim")).toBe(1);
    await manyPolls(delays);
    expect(delays.held("claim")).toBe(1);
    delays.pass("claim");
    await expect.poll(() => outbox.stats()).toMatchObject({ waiting: 0 });
    expect(idsOf(service.attempts).sort()).toEqual(ids.sort());
  });

  it("sends no report again while its removal is on its way, and no more than a crash may repeat", async () => {
    const { outbox, service, delays } = await startCourier();
    delays.hold("ack");
    for (let n = 0; n < 100; n++) await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => delays.held("ack")).toBe(64);
    await manyPolls(delays);
    expect(service.attempts).toHaveLength(64);
    delays.pass("ack");
    await expect.poll(() => outbox.stats()).toMatchObject({ waiting: 0 });
    expect(new Set(idsOf(service.attempts)).size).toBe(100);
    expect(service.attempts).toHaveLength(100);
  });

  it("tries again to remove what it could not remove, and doesn't send it again", async () => {
    const { outbox, service, delays, file, clock } = await startCourier();
    delays.hold("ack");
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => delays.held("ack")).toBe(1);
    const folder = dirname(file);
    renameSync(folder, `${folder}.away`);
    writeFileSync(folder, "in the way");
    delays.pass("ack");
    await expect.poll(() => delays.calls("ack")).toBeGreaterThan(2);
    rmSync(folder);
    renameSync(`${folder}.away`, folder);
    clock.now += 1000;
    await expect
      .poll(() => outbox.stats())
      .toMatchObject({ writable: true, waiting: 0, lastDelivery: expect.any(Number) });
    expect(service.attempts).toHaveLength(1);
  });

  it("sets aside what it can't remove though the outbox works, and delivers the others", async () => {
    const { outbox, service } = await startCourier();
    const ack = outbox.ack.bind(outbox);
    let tries = 0;
    let isPoison = (_: number) => true;
    outbox.ack = async (id, outcome) => {
      if (!isPoison(id)) return ack(id, outcome);
      tries++;
      throw new OutboxError("unwritable", "This one can't be removed.");
    };
    // As many as the courier may have in hand: the others wait for their places.
    for (let n = 0; n < 64; n++) await outbox.append(errorEnvelope(), "browser");
    const poison = new Set((await outbox.list({ after: 0, limit: 64 })).map(({ id }) => id));
    isPoison = (id) => poison.has(id);
    const honest = eventId();
    await outbox.append(errorEnvelope(honest), "browser");
    await service.waitFor((s) => idsOf(s.envelopes).includes(honest));
    await expect.poll(() => outbox.stats()).toMatchObject({ writable: true, setAside: 64 });
    expect(service.attempts).toHaveLength(65);
    isPoison = () => false;
    await expect.poll(() => outbox.stats(), { timeout: 10_000 }).toMatchObject({ waiting: 0 });
    expect(tries).toBeGreaterThanOrEqual(64 * 20);
    expect(service.attempts).toHaveLength(65);
  });

  it("drops what it can't read, and delivers the others at once", async () => {
    const { outbox, service } = await startCourier();
    await outbox.append(Buffer.from("no envelope"), "browser", {
      categories: categorySet(["error"]),
    });
    await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.envelopes[0]);
    await expect.poll(() => outbox.stats()).toMatchObject({ waiting: 0, setAside: 1 });
  });

  it("warns of no leak while many reports are being resolved", async () => {
    const warnings: string[] = [];
    const listen = (warning: Error) => warnings.push(warning.name);
    process.on("warning", listen);
    onTestFinished(() => void process.off("warning", listen));
    let asked = 0;
    let resolveAll = () => {};
    const all = new Promise<void>((resolve) => {
      resolveAll = resolve;
    });
    const { outbox, service } = await startCourier({
      resolve: async ({ envelope }) => {
        asked++;
        await all;
        return envelope;
      },
    });
    for (let n = 0; n < 16; n++) await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => asked).toBe(16);
    resolveAll();
    await service.waitFor((s) => s.envelopes.length === 16);
    expect(warnings).toEqual([]);
  });

  it("puts back what it claimed when the service began to fail meanwhile", async () => {
    const time = { connectMs: 1000, responseMs: 1000 };
    const { outbox, service, delays, clock } = await startCourier({ time });
    await service.behave("hang");
    await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.attempts.length === 1);
    delays.hold("claim");
    for (let n = 0; n < 5; n++) await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => delays.held("claim")).toBe(1);
    await expect.poll(() => delays.calls("requeue")).toBe(1);
    delays.pass("claim");
    await expect.poll(() => delays.calls("requeue")).toBe(6);
    expect(service.attempts).toHaveLength(1);
    await service.behave("ok");
    clock.now += 1000;
    await service.waitFor((s) => s.envelopes.length === 6);
  });

  it("puts back what it claimed when the service limited it meanwhile", async () => {
    const { outbox, service, delays, limits, clock } = await startCourier();
    delays.hold("claim");
    await outbox.append(errorEnvelope(), "browser");
    await outbox.append(span, "browser");
    await expect.poll(() => delays.held("claim")).toBe(1);
    limits.learn(429, { "x-sentry-rate-limits": "100:error:organization" });
    delays.pass("claim");
    await service.waitFor((s) => s.items("span").length === 1);
    await expect.poll(() => outbox.stats()).toMatchObject({ waiting: 1 });
    expect(service.attempts).toHaveLength(1);
    clock.now += 100_000;
    await service.waitFor((s) => s.items("event").length === 1);
  });

  it("ends a claim that was on its way when it was stopped", async () => {
    const { outbox, service, delays, courier, file, isClosed } = await startCourier();
    delays.hold("claim");
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => delays.held("claim")).toBe(1);
    const stopped = courier.stop(0);
    await expect.poll(isClosed).toBe(true);
    delays.pass("claim");
    await stopped;
    expect(service.attempts).toEqual([]);
    // The claim would last as long as this process if it had come after the release.
    expect(await openOutbox({ file }).outbox.claim(next)).toHaveLength(1);
  });

  it("is not stopped before what it delivered is removed", async () => {
    const { outbox, delays, courier } = await startCourier();
    delays.hold("ack");
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => delays.held("ack")).toBe(1);
    const stopped = courier.stop(10_000);
    await manyPolls(delays);
    expect(delays.calls("release")).toBe(0);
    delays.pass("ack");
    await stopped;
    expect(await outbox.stats()).toMatchObject({ waiting: 0 });
  });

  it("delivers although a note never comes", async () => {
    const { outbox, service, delays } = await startCourier();
    delays.hold("note");
    await expect.poll(() => delays.held("note")).toBe(1);
    await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.envelopes.length === 1);
  });

  it("gives up a claim that never comes, and puts back what it brings late", async () => {
    const { outbox, delays, service, lines } = await startCourier({ maxClaimMs: 50 });
    delays.hold("claim");
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => delays.held("claim")).toBeGreaterThan(1);
    expect(lines).toContainEqual({
      level: "error",
      event: "courier can't use the outbox",
      fields: { cause: "Error: The outbox did not answer a claim." },
    });
    delays.pass("claim");
    await service.waitFor(({ envelopes }) => envelopes.length === 1);
  });

  it("tells other processes again of limits that one of them has written over", async () => {
    const { outbox, limits, hurry, clock } = await startCourier();
    hurry();
    limits.learn(429, { "x-sentry-rate-limits": "3600:transaction:organization" });
    const other = new ServiceLimits(() => clock.now);
    other.learn(429, { "x-sentry-rate-limits": "3600:session:organization" });
    await expect.poll(() => outbox.note("service-limits")).toContain("transaction");
    const own = JSON.parse(limits.serialize());
    await outbox.setNote(
      "service-limits",
      JSON.stringify({ ...own, limits: JSON.parse(other.serialize()).limits }),
    );
    await expect
      .poll(async () => JSON.parse((await outbox.note("service-limits")) ?? "").limits.length)
      .toBe(2);
    expect(limits.names()).toBe("session, transaction");
  });

  it("releases its claims in time although a claim does not come, and that one when it does", async () => {
    const { outbox, delays, courier, file } = await startCourier();
    delays.hold("claim");
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => delays.held("claim")).toBe(1);
    await courier.stop(0);
    expect(delays.calls("release")).toBe(1);
    const { outbox: other } = openOutbox({ file });
    delays.pass("claim");
    await expect.poll(() => delays.calls("release")).toBe(2);
    await expect.poll(() => other.claim(next)).toHaveLength(1);
  });

  it("logs each reason why the outbox can't be used once, although they alternate", async () => {
    const { outbox, delays, lines } = await startCourier();
    outbox.note = () => Promise.reject(new OutboxError("unwritable", "No note."));
    outbox.claim = () => Promise.reject(new OutboxError("unwritable", "No claim."));
    await manyPolls(delays);
    const causes = lines.map(({ fields }) => fields.cause);
    expect(causes.sort()).toEqual(["OutboxError: No claim.", "OutboxError: No note."]);
  });

  it("goes on when claims fail for a while, and logs that once", async () => {
    const { outbox, service, delays, lines } = await startCourier();
    const claim = outbox.claim;
    outbox.claim = () => Promise.reject(new OutboxError("unwritable", "Not now."));
    await outbox.append(errorEnvelope(), "browser");
    await manyPolls(delays);
    outbox.claim = claim;
    await service.waitFor((s) => s.envelopes.length === 1);
    expect(lines).toEqual([
      {
        level: "error",
        event: "courier can't use the outbox",
        fields: { cause: "OutboxError: Not now." },
      },
    ]);
  });
});
