import { expect, it } from "vitest";
import { parseDsn } from "@/packages/relay/src/dsn";
import {
  addressHeader,
  headerLine,
  withoutAddresses,
} from "@/packages/relay/src/envelope/envelope";

const service = parseDsn("https://own@sentry.example.com/1");
if (!service) throw new Error("Expected a DSN.");

const fromStranger = {
  event_id: "1",
  dsn: "https://stranger@elsewhere.example/9",
  trace: { public_key: "stranger", trace_id: "2" },
  sdk: { name: "some.sdk" },
  remote_addr: "192.0.2.1",
  forwarded_for: "192.0.2.2",
};

it("takes every address out of what a client wrote, and nothing else", () => {
  expect(withoutAddresses(fromStranger)).toEqual({
    event_id: "1",
    trace: { trace_id: "2" },
    sdk: { name: "some.sdk" },
  });
});

it("puts the configured service in place of any other, and keeps the rest", () => {
  const addressed = { dsn: service.text, trace: { trace_id: "2", public_key: "own" } };
  expect(addressHeader(fromStranger, service)).toMatchObject(addressed);
  const header = withoutAddresses(fromStranger);
  expect(addressHeader(header, service)).toEqual({ ...header, ...addressed });
});

it.each([[null], ["text"], [7], [[1]], [undefined]])("leaves a trace of %j as it is", (trace) => {
  expect(withoutAddresses({ trace })).toEqual({ trace });
  expect(addressHeader({ trace }, service)).toEqual({ trace, dsn: service.text });
});

it("writes a key named __proto__ as it was read", () => {
  const header = JSON.parse('{"__proto__":{"a":1},"trace":{"__proto__":{"b":2}}}');
  const line = headerLine(withoutAddresses(header)).toString();
  expect(line).toBe('{"__proto__":{"a":1},"trace":{"__proto__":{"b":2}}}\n');
  const addressed = JSON.parse(headerLine(addressHeader(header, service)).toString());
  expect(Object.keys(addressed)).toContain("__proto__");
  expect(Object.keys(addressed.trace)).toContain("__proto__");
});
