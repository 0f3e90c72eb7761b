import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { idsOf, startDispatcher } from "@/tests/support/dispatchers";
import { dropsIn, engines, openOutbox, statsOf } from "@/tests/support/outboxes";
import { errorEnvelope, eventId, transactionEnvelope } from "@/tests/support/sdk-envelopes";
import { type ReceivedEnvelope, startService } from "@/tests/support/service";

it("tries again after 1 s, then twice as long each time up to a minute, until it is taken", async () => {
  const { dispatcher, outbox, service, clock, manyPolls, lines } = await startDispatcher();
  expect(dispatcher.health.isPaused).toBe(false);
  await service.behave({ answers: [500, 503, 408, 500, 502, 500, 504, 500, 200] });
  await outbox.append(errorEnvelope(), "browser");
  const waits = [1, 2, 4, 8, 16, 32, 60, 60];
  for (const [i, seconds] of waits.entries()) {
    await service.waitFor((s) => s.attempts.length === i + 1);
    await manyPolls();
    expect(dispatcher.health.isPaused).toBe(true);
    clock.now += seconds * 1000 - 1;
    await manyPolls();
    expect(service.attempts).toHaveLength(i + 1);
    clock.now += 1;
  }
  await service.waitFor((s) => s.envelopes[0]);
  await expect
    .poll(() => lines.map(({ event }) => event))
    .toEqual(["service takes no reports", "service takes reports again"]);
  expect(dispatcher.health.isPaused).toBe(false);
});

it("tells an outage that begins soon after another one once a minute has passed, and when it is over", async () => {
  const { outbox, service, clock, manyPolls, lines } = await startDispatcher();
  await service.behave({ answers: [500, 200, 500, 500, 500, 500, 500, 500, 500, 200] });
  const events = () => lines.map(({ event }) => event);
  const told = ["service takes no reports", "service takes reports again"];
  const attempts = async (count: number, seconds: number) => {
    clock.now += seconds * 1000;
    await manyPolls();
    await service.waitFor((s) => s.attempts.length === count);
    await manyPolls();
  };
  await outbox.append(errorEnvelope(), "browser");
  await attempts(1, 0);
  await attempts(2, 1);
  await outbox.append(errorEnvelope(), "browser");
  await attempts(3, 0);
  for (const [index, seconds] of [1, 2, 4, 8, 16].entries()) await attempts(4 + index, seconds);
  expect(events()).toEqual(told);
  await attempts(9, 32);
  expect(events()).toEqual([...told, told[0]]);
  await attempts(10, 60);
  await expect.poll(events).toEqual([...told, ...told]);
});

it("tries with one report at a time, and waits longer when thirty-two more have failed", async () => {
  const { append, bad, service, tick, underWay } = await startPoisoned();
  await append(bad, 200);
  let most = 0;
  const tried: number[] = [];
  await service.behave(() => {
    most = Math.max(most, underWay());
    return 500;
  });
  for (let seconds = 1; seconds <= 16; seconds++) {
    const before = service.attempts.length;
    await tick();
    const count = service.attempts.length - before;
    if (count > 0) tried.push(seconds);
    // Until the first has failed, nobody knows.
    if (seconds === 1) most = 0;
    expect(count).toBeLessThanOrEqual(32);
  }
  expect(most).toBe(1);
  expect(tried).toEqual([1, 3, 7, 15]);
});

it("drops nothing where a server that was off for a day starts before its network", async () => {
  const service = await startService();
  await service.behave("refuse");
  const opened = openOutbox();
  for (let n = 0; n < 40; n++) await opened.outbox.append(errorEnvelope(), "browser");
  opened.clock.now += 25 * 60 * 60_000;
  const { lines, clock, manyPolls, hurry } = await startDispatcher({ service, open: () => opened });
  await expect.poll(() => lines).not.toEqual([]);
  for (let n = 0; n < 5; n++) {
    clock.now += 1000;
    await manyPolls();
  }
  await service.behave("ok");
  hurry();
  await service.waitFor((s) => s.envelopes.length === 40);
  expect(await dropsIn(opened.outbox)).toEqual([]);
});

it("tries again when connections break, and when nothing listens", async () => {
  const { outbox, service, hurry } = await startDispatcher();
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
  const { outbox, service, lines } = await startDispatcher();
  await outbox.append(errorEnvelope(), "browser");
  await service.waitFor((s) => s.envelopes.length === 1);
  await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0 });
  await service.behave("resetReused");
  await outbox.append(errorEnvelope(), "browser");
  await service.waitFor((s) => s.envelopes.length === 2);
  expect(lines).toEqual([]);
});

it("gives up waiting for an answer after its limit", async () => {
  const times = { stallMs: 50 };
  const { outbox, service, hurry } = await startDispatcher({ times });
  await service.behave("hang");
  await outbox.append(errorEnvelope(), "browser");
  hurry();
  await service.waitFor((s) => s.attempts.length >= 2);
  await service.behave("ok");
  await service.waitFor((s) => s.envelopes[0]);
});

it("gives up waiting for a connection after its limit", async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    silent.close();
  });
  const address = silent.address();
  const port = typeof address === "object" ? address?.port : 0;
  const { outbox, lines } = await startDispatcher({
    dsn: `https://key@127.0.0.1:${port}/1`,
    times: { connectMs: 50 },
  });
  await outbox.append(errorEnvelope(), "browser");
  await expect
    .poll(() => lines)
    .toContainEqual({
      level: "warn",
      event: "service takes no reports",
      fields: { cause: "Error: The connection took too long." },
    });
  expect(await statsOf(outbox)).toMatchObject({ waiting: 1 });
});

it.each(["hang", "reset"] as const)(
  "goes by the status of an answer that does not end: %s",
  async (unfinished) => {
    const { outbox, service, lines } = await startDispatcher({ times: { stallMs: 50 } });
    await service.behave({ unfinished });
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0 });
    expect(service.attempts).toHaveLength(1);
    expect(lines).toEqual([]);
  },
);

it("goes on at once with the others when it fails one while it takes another", async () => {
  const bad = eventId();
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const { outbox, service, clock, lines } = await startDispatcher({
    resolve: async (envelope) => {
      if (envelope.header.event_id === bad) await held;
      return envelope;
    },
  });
  const before = clock.now;
  await service.behave(({ header }) => (header.event_id === bad ? 500 : 200));
  await outbox.append(errorEnvelope(bad), "browser");
  await outbox.append(errorEnvelope(), "browser");
  await service.waitFor((s) => s.envelopes.length === 1);
  goOn();
  await service.waitFor((s) => s.attempts.length === 2);
  await outbox.append(errorEnvelope(), "browser");
  await service.waitFor((s) => s.envelopes.length === 2);
  expect(clock.now).toBe(before);
  expect(lines).toEqual([]);
});

/** A service that can't process some reports; time passes by seconds until it has taken all others. */
async function startPoisoned(open?: (typeof engines)[number][1]) {
  const started = await startDispatcher(open && { open });
  const { outbox, service, clock, manyPolls } = started;
  const calm = async () => {
    for (let before = -1; before !== service.attempts.length; ) {
      before = service.attempts.length;
      await manyPolls();
    }
  };
  /** A second passes, and what is done in it. */
  const tick = async () => {
    clock.now += 1000;
    await calm();
  };
  const bad = new Set<unknown>();
  const good = new Set<unknown>();
  await service.behave(({ header }) => (bad.has(header.event_id) ? 500 : 200));
  const append = async (ids: Set<unknown>, count: number) => {
    for (let n = 0; n < count; n++) {
      const id = eventId();
      ids.add(id);
      await outbox.append(errorEnvelope(id), "browser");
    }
  };
  const secondsUntilDelivered = async () => {
    await calm();
    for (let seconds = 0; ; seconds++) {
      if (service.envelopes.length >= good.size) return seconds;
      await tick();
    }
  };
  return { ...started, tick, append, bad, good, secondsUntilDelivered };
}

it.each(engines)(
  "%s: reports that it can't process hold up the rest for seconds",
  async (_, open) => {
    const poisoned = await startPoisoned(open);
    const { append, bad, good, secondsUntilDelivered, service, clock, outbox } = poisoned;
    await append(bad, 50);
    await append(good, 200);
    expect(await secondsUntilDelivered()).toBeLessThan(30);
    expect(service.envelopes).toHaveLength(good.size);
    // Later, what fails again and again lets new ones wait for seconds at most.
    for (let n = 0; n < 8; n++) {
      clock.now += 15_000;
      await poisoned.manyPolls();
      await append(good, 1);
      expect(await secondsUntilDelivered()).toBeLessThan(20);
    }
    await service.behave("ok");
    for (const id of bad) good.add(id);
    expect(await secondsUntilDelivered()).toBeLessThan(90);
    await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0 });
  },
);

it("is left alone where it takes nothing, whatever has failed before", async () => {
  const { append, bad, service, tick } = await startPoisoned();
  await append(bad, 100);
  for (let n = 0; n < 60; n++) await tick();
  const before = service.attempts.length;
  for (let n = 0; n < 60; n++) await tick();
  // Each of a hundred waits a minute by now, and one is tried at a time.
  expect(service.attempts.length - before).toBeLessThan(70);
});

it.each([400, 405, 413, 422])("drops what is answered %i, and reports that", async (status) => {
  const { outbox, service, clock, lines } = await startDispatcher();
  const body = '{"detail": "invalid event\\nenvelope"}';
  await service.behave({ answers: [{ status, body }, 200] });
  await outbox.append(errorEnvelope(), "browser");
  await expect
    .poll(() => dropsIn(outbox))
    .toEqual([{ reason: "send_error", category: "error", quantity: 1 }]);
  // The first client report may have been on its way.
  await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0 });
  expect(lines).toContainEqual({
    level: "warn",
    event: "service refuses a report",
    fields: { status, reason: "invalid event envelope" },
  });
  clock.now += 60_000;
  const report = await service.waitFor((s) => s.items("client_report")[0]);
  expect(report.payload).toMatchObject({
    discarded_events: [{ reason: "send_error", category: "error", quantity: 1 }],
  });
});

it("gets errors first when it is back, after measurements have filled the outbox", async () => {
  const typeOf = ({ items }: ReceivedEnvelope) => items[0]?.header.type;
  const service = await startService();
  await service.behave("refuse");
  const { outbox, hurry } = await startDispatcher({ service, maxBytes: 1024 * 1024 });
  for (let n = 0; n < 400; n++) {
    await outbox.append(transactionEnvelope("", 3000), "browser").catch(() => {});
  }
  const errors = Array.from({ length: 50 }, eventId);
  for (const id of errors) await outbox.append(errorEnvelope(id), "browser");
  await service.behave("ok");
  hurry();
  await service.waitFor((s) => errors.every((id) => idsOf(s.envelopes).includes(id)));
  // Before the last: what was under way with the first that was taken, and what takes the place of
  // errors that wait out a back-off of their own.
  const before = service.envelopes.findLastIndex((one) => typeOf(one) === "event") + 1;
  expect(before - errors.length).toBeLessThanOrEqual(64);
  await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0 });
  expect(service.items("transaction").length).toBeGreaterThan(100);
});
