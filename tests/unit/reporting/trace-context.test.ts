import { describe, expect, test } from "vitest";
import { incomingTrace, newTrace, traceMetaOf } from "@/lib/reporting/server/trace-context";

const traceId = "0123456789abcdef0123456789abcdef";
const parentSpanId = "0123456789abcdef";

describe("incomingTrace", () => {
  test.each([
    ["-1", true],
    ["-0", false],
    ["", undefined],
  ])("reads a trace that says %j of sampling", (suffix, sampled) => {
    const trace = incomingTrace({ "sentry-trace": `${traceId}-${parentSpanId}${suffix}` });
    expect(trace).toMatchObject({ traceId, parentSpanId, sampled });
    expect(trace?.spanId).toMatch(/^[\da-f]{16}$/);
    expect(trace?.spanId).not.toBe(parentSpanId);
  });

  test("reads of the baggage what is Sentry's", () => {
    const trace = incomingTrace({
      "sentry-trace": `${traceId}-${parentSpanId}`,
      baggage: "other=1, sentry-sample_rand=0.25,sentry-release=a%20b;p=1,sentry-x=%E0%A4%A,bad",
    });
    expect(trace?.dsc).toEqual({ sample_rand: "0.25", release: "a b", x: "%E0%A4%A" });
    expect(trace?.sampleRand).toBe(0.25);
  });

  test.each(["2", "-1", "NaN", "secret"])("makes up its own number for the chance %j", (rand) => {
    const trace = incomingTrace({
      "sentry-trace": `${traceId}-${parentSpanId}`,
      baggage: `sentry-sample_rand=${rand}`,
    });
    expect(trace?.sampleRand).toBeGreaterThanOrEqual(0);
    expect(trace?.sampleRand).toBeLessThan(1);
  });

  test.each([
    undefined,
    "",
    "nonsense",
    `${traceId}`,
    `${traceId}-${parentSpanId}-2`,
    `${traceId.toUpperCase()}-${parentSpanId}`,
    `${traceId}-${parentSpanId}-1"><script>`,
    [`${traceId}-${parentSpanId}`],
  ])("takes %j for no trace", (header) => {
    expect(incomingTrace({ "sentry-trace": header })).toBeUndefined();
  });
});

test("what is handed on can be read again by the next", () => {
  const trace = newTrace(0.5, { release: "a b,c", environment: "x" });
  const { sentryTrace, baggage } = traceMetaOf({ ...trace, sampled: true });
  const next = incomingTrace({ "sentry-trace": sentryTrace, baggage });
  expect(next).toMatchObject({
    traceId: trace.traceId,
    parentSpanId: trace.spanId,
    sampled: true,
    sampleRand: 0.5,
    dsc: trace.dsc,
  });
});

test("no two traces are the same", () => {
  const ids = Array.from({ length: 1000 }, () => newTrace(0, {}).traceId);
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{32}$/);
});
