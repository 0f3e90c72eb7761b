import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { envelope, feedbackEvent } from "../support/envelopes";
import { eventId } from "../support/sdk-envelopes";
import { startService } from "../support/service";
import { gzipped } from "./attacks";
import {
  address,
  countStatuses,
  expectUnharmed,
  inParallel,
  isPutOff,
  startTarget,
  type Target,
} from "./target";

const form = "application/x-www-form-urlencoded";

/** What a request costs the server, in milliseconds of the processor, beside that for a plain page. */
async function costBesidePage(
  target: Target,
  work: () => Promise<unknown>,
): Promise<{ page: number; attack: number }> {
  const page = () => target.ask({ path: "/server" });
  for (let n = 0; n < 20; n++) await page();
  await work();
  return { page: await target.cpuOf(40, page), attack: await target.cpuOf(20, work) };
}

/** @param pages so many plain pages may cost as much, on any machine */
function expectCheap({ page, attack }: { page: number; attack: number }, pages = 6): void {
  expect(attack).toBeLessThan(pages * page);
}

test("a connection that asks without waiting for answers is closed, and takes no memory", async () => {
  const target = await startTarget();
  const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  for (const path of ["/slow?ms=5000", "/server", "/"]) await target.send(ask(path).repeat(10_000));
  await expectUnharmed(target);
});

test("a target that names another host leads to no other host", async () => {
  const target = await startTarget();
  for (const path of ["/", "/static", "/nope", "/de", "/api/relay/settings"]) {
    const head = `GET http://evil.example${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close`;
    const answer = await target.send(`${head}\r\n\r\n`);
    expect(answer, path).toMatch(/^HTTP\/1\.1 (200|404)/);
    expect(answer, path).not.toContain("evil.example");
  }
});

test("the server reports the same error of its own so often and no more", async () => {
  const service = await startService();
  onTestFinished(() => service.close());
  const target = await startTarget({ SENTRY_DSN: service.dsn });
  const failing = ["/failures/server-data", "/failures/server-render", "/api/failure"];
  for (const path of failing) {
    const answers = await inParallel(Array(250).keys(), () => target.ask({ path }));
    expect(countStatuses(answers), path).toEqual({ 500: 250 });
  }
  await expect.poll(() => errorsWaiting(target), { timeout: 20_000 }).toBe(0);
  const events = service.payloads<{ request?: { url?: string } }>("event");
  for (const path of failing) {
    const reported = events.filter(({ request }) => request?.url?.endsWith(path)).length;
    // A hundred at once, and some more as time goes by.
    expect(reported, path).toBeGreaterThanOrEqual(100);
    expect(reported, path).toBeLessThan(140);
  }
  await expectUnharmed(target, service);
});

async function errorsWaiting(target: Target): Promise<number> {
  const { text } = await target.ask({ path: "/api/health/ready?reporting" });
  return (JSON.parse(text) as { errorsWaiting: number }).errorsWaiting;
}

test("a long query costs little, also when a client forces its trace to be sampled", async () => {
  const target = await startTarget({ SENTRY_SERVER_TRACING: "full" });
  const path = `/server?${"x".repeat(15_000)}`;
  const headers = { "sentry-trace": "0123456789abcdef0123456789abcdef-0123456789abcdef-1" };
  expectCheap(await costBesidePage(target, () => target.ask({ path, headers })));
  const within = `/server?${"x".repeat(8_000)}`;
  expectCheap(await costBesidePage(target, () => target.ask({ path: within, headers })));
  await expectUnharmed(target);
});

test("a long path costs little", async () => {
  const target = await startTarget();
  for (const part of ["/_next/data/..", "/_next/data/./", "/_next/data/%2e", "/a//", "/%2e"]) {
    // The longer ones are refused unread.
    for (const [length, pages] of [
      [15_000, 2],
      [8_000, 6],
    ] as const) {
      const path = part.repeat(length / part.length);
      expectCheap(await costBesidePage(target, () => target.ask({ path })), pages);
    }
  }
  await expectUnharmed(target);
});

test("all addresses together send no more feedback than the inbox can spare, by the form and the tunnel", async () => {
  const target = await startTarget();
  const answers = await inParallel(Array(1_000).keys(), (n) =>
    n % 2
      ? target.report(envelope([["feedback", feedbackEvent(`message ${n}`)]]), { from: address(n) })
      : target.ask({
          method: "POST",
          path: "/api/feedback",
          from: address(n),
          headers: { "Content-Type": form },
          body: `message=message+${n}`,
        }),
  );
  const isTaken = ({ status }: { status: number }) => status === 200 || status === 303;
  const taken = answers.filter(isTaken);
  const refused = answers.filter((answer) => !isTaken(answer));
  expect(taken.length).toBeGreaterThan(100);
  expect(taken.length).toBeLessThanOrEqual(600);
  expect(refused.filter((answer) => !isPutOff(answer, 429))).toEqual([]);
  await expectUnharmed(target);
});

function fields(count: number): string {
  return Array.from({ length: count }, (_, n) => `${n}=`).join("&");
}

const forms: [name: string, body: string][] = [
  ["1 MB of markup", `message=${"<".repeat(1_000_000)}`],
  ["60 kB of markup", `message=${"<".repeat(60_000)}`],
  ["80,000 fields", fields(80_000)],
  ["8,000 fields", fields(8_000)],
];

test("a refused form costs little", async () => {
  const target = await startTarget();
  for (const [index, [name, body]] of forms.entries()) {
    const send = () =>
      target.ask({
        method: "POST",
        path: "/api/feedback",
        from: address(index),
        headers: { "Content-Type": form, Accept: "text/html" },
        body,
      });
    const first = await send();
    expect([413, 422], name).toContain(first.status);
    await inParallel(Array(70).keys(), send);
    const last = await send();
    expect([413, 429], name).toContain(last.status);
    expectCheap(await costBesidePage(target, send));
  }
  await expectUnharmed(target);
});

test("a small report of thousands of names costs little", async () => {
  const target = await startTarget({ RELAY_RATE: "1000000" });
  const report = () => {
    const names = Array.from({ length: 7_400 }, (_, n) => `"${eventId().slice(0, 8)}${n}":1`);
    const event = `{"event_id":"${eventId()}","extra":{${names.join(",")}}}`;
    const body = `{"minimal":true}\n{"type":"event"}\n${event}\n`;
    return target.report(gzipSync(body), gzipped);
  };
  expect((await report()).status).toBe(400);
  expectCheap(await costBesidePage(target, report));
  await expectUnharmed(target);
});

test("twenty thousand addresses leave all others a rate of their own", async () => {
  const target = await startTarget();
  const junk = { method: "POST", path: "/api/relay", body: "{}" };
  const network = (n: number) => `2001:db8:${(n >> 8).toString(16)}:${(n & 255).toString(16)}::1`;
  await inParallel(Array(20_100).keys(), (n) => target.ask({ ...junk, from: network(n) }), 32);
  const answers = await inParallel(Array(310).keys(), (n) =>
    target.ask({ ...junk, from: `198.51.${100 + (n >> 8)}.${n & 255}` }),
  );
  expect(countStatuses(answers)).toEqual({ 400: 310 });
  await expectUnharmed(target);
});

test("bodies that lie about their length, or never end, are given up", async () => {
  const target = await startTarget();
  const head = "POST /api/relay HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
  const answers = await inParallel(
    [
      `${head}Content-Length: 100\r\n\r\n{}`,
      `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      `${head}Content-Length: -1\r\n\r\n{}`,
      `${head}Content-Length: 99999999999999999999\r\n\r\n{}`,
      `${head}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}`,
      `${head}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}`,
      `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}`,
    ],
    (bytes) => target.send(bytes),
  );
  expect(answers.filter((answer) => /^HTTP\/1\.1 (2|5)/.test(answer))).toEqual([]);
  await expectUnharmed(target);
});
