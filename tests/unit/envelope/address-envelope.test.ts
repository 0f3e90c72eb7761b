import { expect, it } from "vitest";
import { addressHeader, headerLine } from "@/lib/envelope/address-envelope";

const service = { text: "https://own@sentry.example.com/1", publicKey: "own" };

it("puts the configured service in the place of any other", () => {
  const header = {
    event_id: "1",
    dsn: "https://stranger@elsewhere.example/9",
    trace: { public_key: "stranger", trace_id: "2" },
    sdk: { name: "some.sdk" },
  };
  expect(addressHeader(header, service)).toEqual({
    event_id: "1",
    dsn: service.text,
    trace: { public_key: "own", trace_id: "2" },
    sdk: { name: "some.sdk" },
  });
});

it("leaves no service standing where none is configured", () => {
  const header = { dsn: "https://stranger@elsewhere.example/9", trace: { public_key: "stranger" } };
  expect(addressHeader(header, undefined)).toEqual({ trace: {} });
});

it("takes no addresses from a client", () => {
  const header = { remote_addr: "192.0.2.1", forwarded_for: "192.0.2.2", event_id: "1" };
  expect(addressHeader(header, undefined)).toEqual({ event_id: "1" });
});

it.each([[null], ["text"], [7], [[1]], [undefined]])("bears %j for a trace", (trace) => {
  expect(addressHeader({ trace }, service)).toMatchObject({ dsn: service.text });
});

it("writes a key named __proto__ as it was read", () => {
  const header = JSON.parse('{"__proto__":{"a":1},"trace":{"__proto__":{"b":2}}}');
  const line = headerLine(addressHeader(header, undefined)).toString();
  expect(JSON.parse(line)).toEqual(header);
  expect(line).toBe('{"__proto__":{"a":1},"trace":{"__proto__":{"b":2}}}\n');
});
