import type { IncomingMessage, ServerResponse } from "node:http";
import { getClient, getIsolationScope, init } from "@sentry/nextjs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RequestScopes } from "@/packages/sentry/src/server/request-scopes";

beforeAll(() => {
  const release = "1.2.3";
  init({
    dsn: "http://own@localhost/0",
    release,
    environment: "x",
    enableOpenTelemetrySetup: false,
    defaultIntegrations: false,
  });
});

afterAll(() => getClient()?.close());

/** What a report says of its request. */
function urlOf(url: string, headers: Record<string, string>, trustedProxies: string[] = []) {
  const scopes = new RequestScopes(undefined, trustedProxies);
  const request = { method: "GET", url, headers, socket: { remoteAddress: "10.0.0.1" } };
  let told: string | undefined;
  scopes.serve(request as unknown as IncomingMessage, {} as ServerResponse, () => {
    const { sdkProcessingMetadata } = getIsolationScope().getScopeData();
    told = scopes.describe({ sdkProcessingMetadata }).request?.url;
  });
  return told;
}

const evil = { host: "evil.example", "x-forwarded-proto": "https" };

test.each([
  ["that anybody may have written", "/a?b=1", evil, [], "/a"],
  ["of the machine itself", "/a", { host: "localhost:3000" }, [], "http://localhost:3000/a"],
  ["that only begins like it", "/a", { host: "localhost.evil.example" }, [], "/a"],
  [
    "that a trusted proxy tells",
    "/a",
    { ...evil, host: "own.example" },
    ["10.0.0.1"],
    "https://own.example/a",
  ],
  ["that is none", "/a", { host: "a b" }, ["10.0.0.1"], "/a"],
  ["in the target", "http://evil.example/a?b", { host: "localhost" }, [], "http://localhost/a"],
  ["in a target without a path", "http://evil.example", {}, [], "/"],
  ["after two slashes", "//evil.example/a", {}, [], "/evil.example/a"],
])("of a host %s, a report says what is believed", (_name, url, headers, trusted, expected) => {
  expect(urlOf(url, headers as Record<string, string>, trusted)).toBe(expected);
});

const traceId = "0123456789abcdef0123456789abcdef";

test("of HTTP/2, too, OpenTelemetry reads what is left of a client's baggage, and as many traces", () => {
  const scopes = new RequestScopes(undefined);
  const followed = Array.from({ length: 100 }, () => {
    const headers: Record<string, string> = {
      "sentry-trace": `${traceId}-0123456789abcdef-1`,
      baggage: "sentry-user_id=x,vendor=1",
    };
    const request = { httpVersionMajor: 2, headers, socket: {} } as unknown as IncomingMessage;
    let read: unknown[] = [];
    scopes.serve(request, {} as ServerResponse, () => {
      read = [headers["sentry-trace"] !== undefined, headers.baggage?.includes("user_id") ?? false];
    });
    expect(read[1]).toBe(false);
    return read[0];
  });
  expect(followed[0]).toBe(true);
  expect(followed).toContain(false);
});

test("OpenTelemetry reads of a client's baggage how it was sampled, and its replay; what is not Sentry's stays", () => {
  const headers = {
    "sentry-trace": `${traceId}-0123456789abcdef-0`,
    baggage: `vendor=1,sentry-sampled=false,sentry-sample_rate=0.5,sentry-sample_rand=0.7,sentry-replay_id=${traceId},sentry-user_id=x,sentry%2Dtransaction=y,sentry-release=theirs,sentry-public_key=theirs`,
  };
  new RequestScopes(undefined).limitTrace({ headers } as unknown as IncomingMessage);
  expect(headers.baggage.split(",").sort()).toEqual([
    "sentry-environment=x",
    "sentry-public_key=own",
    "sentry-release=1.2.3",
    `sentry-replay_id=${traceId}`,
    "sentry-sample_rand=0.7",
    "sentry-sample_rate=0.5",
    "sentry-sampled=false",
    `sentry-trace_id=${traceId}`,
    "vendor=1",
  ]);
});
