import { describe, expect, it } from "vitest";
import { factsByIdentity, factsOf, identityOf, type Report } from "../../comparison/reports.ts";
import type { ReceivedEnvelope } from "../../support/service.ts";

const trace = { trace_id: "a".repeat(32), span_id: "b".repeat(16) };

function request(name: string, more: Partial<Report> = {}): Report {
  return {
    type: "transaction",
    event_id: name,
    platform: "node",
    transaction: name,
    contexts: { trace: { ...trace, op: "http.server" } },
    ...more,
  };
}

const pageLoad: Report = {
  type: "transaction",
  event_id: "load",
  platform: "javascript",
  transaction: "/[id]",
  request: { url: "http://localhost:3000/one?a=b" },
  contexts: { trace: { ...trace, op: "pageload" } },
};

function envelopeOf(...reports: Report[]): ReceivedEnvelope {
  const items = reports.map((payload) => ({
    header: { type: payload.type ?? "event" },
    payload,
    bytes: Buffer.alloc(0),
  }));
  return { items } as unknown as ReceivedEnvelope;
}

describe("reports", () => {
  it("are known by operation and path or route, and by their words", () => {
    expect(identityOf(pageLoad)).toBe("pageload /one");
    expect(identityOf(request("GET /[id]"))).toBe("http.server /[id]");
    expect(identityOf(request("/[id]"))).toBe("http.server /[id]");
    expect(identityOf({ event_id: "1", exception: { values: [{ value: "It fails" }] } })).toBe(
      "error It fails",
    );
    const withStack = { event_id: "1", message: "So", exception: { values: [{ value: "So" }] } };
    expect(identityOf(withStack)).toBe("message So");
  });

  it("say their fields without ids, times, hosts and measured values", () => {
    const facts = factsOf({
      ...pageLoad,
      measurements: { lcp: { value: 12 } },
      contexts: {
        trace: { ...trace, op: "pageload", data: { "http.response.status_code": 404, size: 12 } },
      },
    });
    expect(Object.fromEntries(facts)).toEqual({
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

  it("say their spans with what these are in, and the forms of their breadcrumbs", () => {
    const facts = factsOf({
      event_id: "1",
      spans: [
        { span_id: "1", op: "function", description: "outer" },
        { span_id: "2", parent_span_id: "1", op: "db", description: "inner", origin: "auto" },
      ],
      breadcrumbs: [{ category: "navigation", data: { to: "/b", from: "/a" } }],
    });
    expect(Object.fromEntries(facts)).toEqual({
      "span function outer": "manual",
      "span db inner": "auto, in function outer",
      "breadcrumb navigation": "from, to",
    });
  });

  it("of one identity are one, with all their values, and know with whom they share a trace", () => {
    const facts = factsByIdentity([
      envelopeOf(request("GET /[id]", { tags: { n: "1" } }), pageLoad),
      envelopeOf(request("GET /[id]", { event_id: "2", tags: { n: "2" } })),
    ]);
    expect([...facts.keys()]).toEqual(["http.server /[id]", "pageload /one", "items"]);
    const ofRequest = facts.get("http.server /[id]");
    expect(ofRequest?.get("tags.n")).toBe("1 | 2");
    expect(ofRequest?.get("shares a trace with pageload /one")).toBe("yes");
    expect(facts.get("items")?.get("of the type transaction")).toBe("yes");
  });
});
