import { randomUUID } from "node:crypto";
import { expect, inject, onTestFinished, test } from "vitest";
import { errorEnvelope, eventId } from "../support/sdk-envelopes";
import { type ReceivedEnvelope, startService } from "../support/service";
import { gzipped, liar, madeUpLimits, zeros } from "./attacks";
import {
  type Answered,
  address,
  countStatuses,
  expectDelivered,
  expectShown,
  expectUnharmed,
  idsOf,
  inParallel,
  isPutOff,
  reportHonestErrors,
  startStoringTarget,
  startTarget,
  type Target,
} from "./target";

/**
 * The variables that choose each engine, in a schema of its own. What is decided before the store or
 * behind it is tried on one of them: packages/relay/tests/outbox/contract holds both to the same.
 */
const engines: [name: string, env: () => Record<string, string>][] = [
  ["SQLite", () => ({})],
  [
    "Postgres",
    () => ({
      DATABASE_URL: inject("postgresUrl"),
      DATABASE_SCHEMA: `abuse_${randomUUID().replaceAll("-", "")}`,
    }),
  ],
];

/** Sizes that fill the outbox, 256 MiB, to its last bytes: the smallest last. */
const fillers = [
  ...Array(140).fill(zeros()),
  ...Array(40).fill(zeros(64 * 1024)),
  ...Array(70).fill(zeros(1000)),
  ...Array(20).fill(zeros(100)),
];

/** Fills the outbox from so many addresses. Of 25, none sends more than it may in a minute. */
function flood(target: Target, addresses = 25): Promise<Answered[]> {
  const send = (body: Buffer, n: number) =>
    target.report(body, { ...gzipped, from: address(n % addresses) });
  // A few at a time: a database that is slow beside all else is another matter.
  return inParallel(fillers, send, 4);
}

async function startTestService() {
  const service = await startService();
  onTestFinished(() => service.close());
  return service;
}

test.each(engines)(
  "measurements that were never made and are evicted don't end the writing (%s)",
  async (_, env) => {
    const target = await startStoringTarget(env());
    const liars = await inParallel(Array(30).keys(), (n) =>
      target.report(liar("transaction"), { from: address(n) }),
    );
    expect(countStatuses(liars)).toEqual({ 200: 30 });
    const answers = await flood(target);
    expectTakenOrPutOff(answers);
    await expectUnharmed(target);
    const { text } = await target.look("/reports");
    const [, dropped = ""] = /"dropped":"([^"]+)"/.exec(text) ?? [];
    expect(Number(dropped.replace(/\D/g, ""))).toBeLessThan(100_000_000);
  },
);

test("measurements that were never made and are refused don't end the delivery", async () => {
  const service = await startTestService();
  const isLiar = ({ items }: ReceivedEnvelope) => items.some(({ header }) => header.item_count);
  await service.behave((envelope) => (isLiar(envelope) ? 400 : 200));
  const target = await startTarget({ SENTRY_DSN: service.dsn });
  const liars = await inParallel(Array(90).keys(), () => target.report(liar("event")));
  expect(countStatuses(liars)).toEqual({ 200: 90 });
  await expectUnharmed(target, service);
});

test("fifty reports that the service can't process hold up nobody else's", async () => {
  const service = await startTestService();
  const bad = new Set(Array.from({ length: 50 }, eventId));
  await service.behave(({ header }) => (bad.has(String(header.event_id)) ? 500 : 200));
  const target = await startTarget({ SENTRY_DSN: service.dsn });
  const answers = await inParallel(bad, (id) => target.report(errorEnvelope(id)));
  expect(countStatuses(answers)).toEqual({ 200: bad.size });
  await expectDelivered(service, idsOf(await reportHonestErrors(target, 200)));
  await expectUnharmed(target, service);
});

test("a flood of one address pushes nobody else's errors out of the inbox", async () => {
  const target = await startTarget({ RELAY_RATE: "1000000" });
  const errors = await reportHonestErrors(target);
  const answers = await flood(target, 1);
  expectTakenOrPutOff(answers);
  await expectShown(target, errors);
  await expectUnharmed(target);
});

test("one address may send so many bytes, however small they are on the wire", async () => {
  const target = await startTarget();
  const body = zeros();
  const answers = await inParallel(Array(100).keys(), () => target.report(body, gzipped));
  const taken = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(taken.length).toBeGreaterThan(5);
  expect(taken.length).toBeLessThan(30);
  expect(refused.filter((answer) => !isPutOff(answer, 429))).toEqual([]);
  await expectUnharmed(target);
});

test("a flood of one address leaves room for everybody else's errors while the service is away", async () => {
  const service = await startTestService();
  await service.behave("refuse");
  const target = await startTarget({ SENTRY_DSN: service.dsn, RELAY_RATE: "1000000" });
  const early = await reportHonestErrors(target);
  // Half of it is anybody's.
  expectFullAtLast(target, await flood(target, 1), 60);
  const late = await reportHonestErrors(target);
  await service.behave("ok");
  await expectDelivered(service, idsOf([...early, ...late]));
  await expectUnharmed(target, service);
});

test.each(engines)(
  "a full outbox refuses browsers, and takes the server's own errors (%s)",
  async (_, env) => {
    const service = await startTestService();
    await service.behave("refuse");
    const target = await startStoringTarget({ ...env(), SENTRY_DSN: service.dsn });
    // Nobody has more than a small part of it. Three quarters are for browsers.
    expectFullAtLast(target, await flood(target, fillers.length), 90);
    const late = await inParallel(Array(20).keys(), (n) =>
      target.report(errorEnvelope(), { from: address(1000 + n) }),
    );
    expect(late.filter((answer) => !isPutOff(answer, 503))).toEqual([]);
    const failed = await inParallel(Array(5).keys(), () => target.ask({ path: "/api/failure" }));
    const own = failed.map(({ text }) => (JSON.parse(text) as { reference: string }).reference);
    await service.behave("ok");
    await expectDelivered(service, own);
    await expectUnharmed(target, service);
  },
);

/** Whoever reports to a full outbox, or holds too much of one, is told to come later. */
function expectTakenOrPutOff(answers: readonly Answered[]): void {
  const refused = answers.filter(({ status }) => status !== 200);
  const isLater = (answer: Answered) => isPutOff(answer, 429) || isPutOff(answer, 503);
  expect(refused.filter((answer) => !isLater(answer))).toEqual([]);
}

/** @param first so many are taken in any case */
function expectFullAtLast({ app }: Target, answers: readonly Answered[], first: number): void {
  expectTakenOrPutOff(answers);
  const { 200: taken } = countStatuses(answers);
  expect(taken, app.output().slice(-2000)).toBeLessThan(answers.length);
  expect(answers.slice(0, first).filter(({ status }) => status !== 200)).toEqual([]);
}

test("categories that a service makes up are forgotten, and the others are heeded", async () => {
  const service = await startTestService();
  let answered = 0;
  await service.behave(() => {
    answered += 1;
    const limits = `${madeUpLimits(answered)}, 120:transaction:organization`;
    return { status: 200, headers: { "X-Sentry-Rate-Limits": limits } };
  });
  const target = await startTarget({ SENTRY_DSN: service.dsn });
  await inParallel(Array(60).keys(), () => target.report(errorEnvelope()));
  await service.waitFor(() => answered >= 60);
  const answer = await target.report(errorEnvelope());
  expect(answer.status).toBe(200);
  const limits = String(answer.headers["x-sentry-rate-limits"]);
  expect(limits).toMatch(/^\d+:transaction:organization$/);
  expect(target.app.output().includes("yyy"), "the log has made-up names").toBe(false);
  await expectUnharmed(target, service);
});

test("sixty errors at once cause no error in the log", async () => {
  const service = await startTestService();
  await service.behave({ slow: 200 });
  const target = await startTarget({ SENTRY_DSN: service.dsn });
  await expectDelivered(service, idsOf(await reportHonestErrors(target, 60)));
  await expectUnharmed(target, service);
  const warnings = target.app.output().match(/.*(MaxListeners|"level":"error").*/g);
  expect(warnings).toBeNull();
});
