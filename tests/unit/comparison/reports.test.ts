import { expect, test } from "vitest";
import { factsByIdentity, factsOf, identityOf } from "../../comparison/reports.ts";
import { sessionsIn } from "../../comparison/visits.ts";
import type { Report } from "../../services/envelopes.ts";
import type { ReceivedEnvelope } from "../../support/service.ts";

const times = { start_timestamp: 1, timestamp: 2 };
const trace = { trace_id: "a".repeat(32), span_id: "b".repeat(16) };

function request(transaction: string, more: Partial<Report> = {}): Report {
  const contexts = { trace: { ...trace, op: "http.server" } };
  const given = { type: "transaction", event_id: transaction, platform: "node", transaction };
  return { ...given, ...times, contexts, ...more };
}

const data = { "http.response.status_code": 404, size: 12 };
const pageLoad: Report = {
  ...times,
  type: "transaction",
  event_id: "load",
  platform: "javascript",
  transaction: "/[id]",
  request: { url: "http://localhost:3000/one?a=b" },
  measurements: { lcp: { value: 12 } },
  contexts: { trace: { ...trace, op: "pageload", data } },
};
const withStack = {
  ...times,
  event_id: "1",
  message: "So",
  exception: { values: [{ value: "So" }] },
};

test.each<[string, Report]>([
  ["pageload /one", pageLoad],
  ["http.server /[id]", request("GET /[id]")],
  ["http.server /[id]", request("/[id]")],
  [
    "error It fails",
    { ...withStack, message: undefined, exception: { values: [{ value: "It fails" }] } },
  ],
  ["message So", withStack],
])("a report is known as %s, in both apps", (identity, report) => {
  expect(identityOf(report)).toBe(identity);
});

test("reports say their fields without ids, times, hosts and measured values", () => {
  expect(Object.fromEntries(factsOf(pageLoad))).toEqual({
    type: "transaction",
    platform: "javascript",
    transaction: "/[id]",
    "request.url": "ORIGIN/one?QUERY",
    "contexts.trace.op": "pageload",
    "data.http.response.status_code": "404",
    "data.size": "a number",
    "measurements.lcp.value": "there",
  });
});

test("they say their error before its causes, and not how many elements have shifted", () => {
  const data = { "cls.source.1": "p", "cls.source.2": "p" };
  const facts = factsOf({
    ...withStack,
    exception: { values: [{ value: "cause" }, { value: "error" }] },
    contexts: { trace: { ...trace, data } },
  });
  expect(Object.fromEntries(facts)).toEqual({
    message: "So",
    "exception.values.0.value": "error",
    "exception.values.1.value": "cause",
    "data.cls.source": "there",
  });
});

test("they say their spans with what these are in, and the forms of their breadcrumbs", () => {
  const facts = factsOf({
    ...times,
    event_id: "1",
    spans: [
      { ...times, span_id: "1", op: "function", description: "outer" },
      {
        ...times,
        span_id: "2",
        parent_span_id: "1",
        op: "db",
        description: "inner",
        origin: "auto",
      },
    ],
    breadcrumbs: [{ category: "navigation", data: { to: "/b", from: "/a" } }],
  });
  expect(Object.fromEntries(facts)).toEqual({
    "span function outer": "manual",
    "span db inner": "auto, in function outer",
    "breadcrumb navigation": "from, to",
  });
});

/** An envelope of these items, by type. */
function envelopeOf(items: [type: string, payload: unknown][], origin?: string): ReceivedEnvelope {
  return {
    requestHeaders: { origin },
    items: items.map(([type, payload]) => ({ header: { type }, payload, bytes: Buffer.alloc(0) })),
  } as unknown as ReceivedEnvelope;
}

test("those of one identity are one, with all their values, and know with whom they share a trace", () => {
  const other = request("GET /[id]", { event_id: "2", tags: { n: "2" } });
  const facts = factsByIdentity([
    envelopeOf([
      ["transaction", request("GET /[id]", { tags: { n: "1" } })],
      ["transaction", pageLoad],
    ]),
    envelopeOf([["transaction", other]]),
  ]);
  expect([...facts.keys()]).toEqual(["http.server /[id]", "pageload /one", "items"]);
  const ofRequest = facts.get("http.server /[id]");
  expect(ofRequest?.get("tags.n")).toBe("1 | 2");
  expect(ofRequest?.get("shares a trace with pageload /one")).toBe("yes");
  expect(facts.get("items")?.get("of the type transaction")).toBe("yes");
});

test("a browser's sessions count once each, by their last state; those of a server's process don't", () => {
  const states = [
    { sid: "a", status: "ok" },
    { sid: "a", status: "unhandled" },
    { sid: "b", status: "ok" },
  ];
  const ofBrowser = states.map((state) => envelopeOf([["session", state]], "http://localhost"));
  const ofServer = envelopeOf([["session", { sid: "c", status: "crashed" }]]);
  expect(sessionsIn([...ofBrowser, ofServer])).toEqual({ all: 2, crashed: 1 });
});

test("the sessions that a server has counted are the sum of all aggregates", () => {
  const aggregates = [
    { exited: 40, errored: 1 },
    { exited: 4, crashed: 5 },
  ];
  const counted = envelopeOf([["sessions", { aggregates }]]);
  expect(sessionsIn([counted])).toEqual({ all: 50, crashed: 5 });
});
