import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { envelope } from "../support/envelopes";
import { eventId } from "../support/sdk-envelopes";
import {
  bulky,
  errorWith,
  errorWithNumbers,
  framesOfBuild,
  gzipped,
  longestErrors,
  nested,
  visits,
  zeros,
} from "./attacks";
import {
  address,
  countStatuses,
  expectUnharmed,
  inParallel,
  startTarget,
  type Target,
} from "./target";

const views = ["", "?view=performance", "?view=feedback"];

async function openLists(target: Target): Promise<void> {
  for (const view of views) {
    const page = await target.look(`/reports${view}`);
    expect(page.status, `/reports${view}`).toBe(200);
  }
}

test("numbers that are nested arrays leave the inbox open", async () => {
  const target = await startTarget();
  for (const depth of [33, 6_000, 100_000, 400_000]) {
    const sent = await target.report(gzipSync(errorWithNumbers(nested(depth))), gzipped);
    expect(sent.status).toBe(200);
    await openLists(target);
  }
  await expectUnharmed(target);
});

test("numbers that are large objects take no memory of the inbox", async () => {
  const target = await startTarget();
  const sent = await inParallel(Array(12).keys(), (n) =>
    target.report(gzipSync(errorWithNumbers(bulky())), { ...gzipped, from: address(n) }),
  );
  expect(countStatuses(sent)).toEqual({ 200: 12 });
  await openLists(target);
  await expectUnharmed(target);
});

// As much feedback no stranger can send in that time.
test("an inbox full of the longest errors opens and refreshes", async () => {
  const count = 10_000;
  const target = await startTarget({ RELAY_RATE: "1000000" });
  const bodies = Array.from({ length: 500 }, (_, n) => longestErrors(n));
  const sent = await inParallel(Array(count).keys(), (n) =>
    target.report(bodies[n % bodies.length] ?? zeros(), { ...gzipped, from: address(n) }),
  );
  expect(countStatuses(sent)).toEqual({ 200: count });
  await openLists(target);
  const refreshMs = await target.cpuOf(5, async () => {
    await target.report(longestErrors(count), gzipped);
    expect((await target.look("/reports")).status).toBe(200);
  });
  // Far more than it takes, since other machines are slower; far less than to read all anew.
  expect(refreshMs, "processor time of a refresh").toBeLessThan(150);
  await openLists(target);
  await expectUnharmed(target);
});

test("the page of a visit opens, however often it was reported", async () => {
  const target = await startTarget({ RELAY_RATE: "1000000" });
  const traceId = eventId();
  const body = visits(traceId);
  const sent = await inParallel(Array(2_700).keys(), (n) =>
    target.report(body, { ...gzipped, from: address(n) }),
  );
  expect(countStatuses(sent)).toEqual({ 200: 2_700 });
  expect((await target.look(`/reports/${traceId}`)).status).toBe(200);
  await openLists(target);
  await expectUnharmed(target);
});

test("a forged report does not hide an error behind one that was ignored", async () => {
  const target = await startTarget();
  const [frame = {}] = framesOfBuild().ordinary;
  const junkFrame = { filename: "junk.js", function: "junk", in_app: true, lineno: 1, colno: 1 };
  const reportFrames = async (...frames: Record<string, unknown>[]) => {
    const id = eventId();
    const body = envelope([["event", errorWith(frames, { event_id: id })]], { event_id: id });
    expect((await target.report(body)).status).toBe(200);
    return id;
  };
  const groupOf = async (id: string) => {
    const { headers } = await target.look(`/reports/${id}`);
    return /\/reports\/(b?[0-9a-f]{16})/.exec(String(headers.location))?.[1] ?? "";
  };
  const first = await reportFrames(junkFrame);
  await expect.poll(() => groupOf(first)).not.toBe("");
  const junk = await groupOf(first);
  const real = await reportFrames(frame);
  await reportFrames(frame);

  const ignored = await target.look("/reports", {
    method: "POST",
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      "Sec-Fetch-Site": "same-origin",
    },
    body: new URLSearchParams({ state: "ignored", group: junk, seen: `${Date.now()}` }).toString(),
  });
  expect(ignored.status).toBe(303);
  const forged = await reportFrames(frame, junkFrame);
  await expect.poll(async () => (await groupOf(forged)) === (await groupOf(real))).toBe(true);
  const list = await target.look("/reports");
  expect(list.text.includes(`/reports/${await groupOf(real)}`), "the error is listed").toBe(true);
  expect(list.text.includes(`/reports/${junk}`), "the ignored one is listed").toBe(false);
});
