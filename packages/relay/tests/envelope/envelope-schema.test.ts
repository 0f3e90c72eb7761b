import { expect, test } from "vitest";
import { clientReport } from "@/packages/relay/src/envelope/client-report";
import { readEnvelope } from "@/packages/relay/src/envelope/envelope";
import { faultsOf } from "@/tests/support/envelope-schema";

// The other reports of the app are made by a whole server and a browser: tests/e2e/envelopes.spec.ts.

const id = "a".repeat(32);
const error = {
  event_id: id,
  timestamp: 1_800_000_000,
  platform: "javascript",
  release: "1.2.3",
  environment: "staging",
  exception: { values: [{ type: "Error", value: "x", mechanism: { type: "generic" } }] },
};
const visit = {
  ...error,
  exception: undefined,
  type: "transaction",
  transaction: "/static",
  transaction_info: { source: "route" },
  start_timestamp: 1_799_999_999,
  contexts: { trace: { trace_id: id, span_id: "b".repeat(16), op: "pageload" } },
  spans: [],
};

/** The faults of the first item. */
function faultsIn(bytes: Uint8Array): string[] {
  const envelope = readEnvelope(bytes);
  if ("fault" in envelope) return [envelope.detail];
  const [item] = envelope.items;
  const payload = JSON.parse(Buffer.from(item?.payload ?? []).toString());
  return faultsOf(envelope.header, item?.type ?? "", payload);
}

test("the outbox's client report is as the protocol has it", () => {
  const drops = [{ reason: "cache_overflow", category: "transaction", quantity: 3 } as const];
  expect(faultsIn(clientReport(drops, Date.now()))).toEqual([]);
});

test.each<[string, string, object]>([
  [
    "event",
    "a frame that names nothing",
    {
      ...error,
      exception: { values: [{ type: "E", stacktrace: { frames: [{ filename: "" }] } }] },
    },
  ],
  [
    "event",
    "an empty list of frames",
    { ...error, exception: { values: [{ type: "E", stacktrace: { frames: [] } }] } },
  ],
  [
    "event",
    "neither type nor value",
    { ...error, exception: { values: [{ type: "", value: "" }] } },
  ],
  ["event", "no exception", { ...error, exception: { values: [] } }],
  ["event", "an id with dashes", { ...error, event_id: "a".repeat(31) }],
  ["event", "no environment", { ...error, environment: "" }],
  ["transaction", "a name made up", { ...visit, transaction_info: { source: "custom" } }],
  ["transaction", "an end before its beginning", { ...visit, timestamp: 1 }],
  ["transaction", "no trace", { ...visit, contexts: {} }],
  ["client_report", "nothing to tell", { timestamp: 1, discarded_events: [] }],
  ["tomorrow", "a type that is not in the list", {}],
])("the schema refuses an item of type %s with %s", (type, _what, payload) => {
  expect(faultsOf({ event_id: id }, "event", error)).toEqual([]);
  expect(faultsOf({ event_id: id }, "transaction", visit)).toEqual([]);
  expect(faultsOf({ event_id: id }, type, payload)).not.toEqual([]);
});

test("the schema refuses an event whose envelope has no id, and a trace without a key", () => {
  expect(faultsOf({}, "event", error)).not.toEqual([]);
  expect(faultsOf({ event_id: id, trace: { trace_id: id } }, "event", error)).not.toEqual([]);
});
