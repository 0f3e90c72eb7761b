import { expect, test } from "vitest";
import { appVariables } from "@/lib/config";
import { variableAdvice } from "@/lib/server/variable-advice";
import { readRuntimeConfig, variables } from "@/packages/sentry/src/shared/environment/runtime";

const dsn = "https://key@sentry.example.com/1";

/** What a server is told that has an inbox, of a build without base path. */
function advice(env: Record<string, string>) {
  const built = { basePath: "", tunnel: "relay" };
  const config = readRuntimeConfig(env);
  return variableAdvice({ config, built, hasInbox: true }, env);
}

test.each([
  ["SENTRY_DNS", "SENTRY_DSN"],
  ["SENTY_DSN", "SENTRY_DSN"],
  ["sentry_dsn", "SENTRY_DSN"],
  ["NEXT_PUBLIC_SENTRY_DSN", "SENTRY_DSN"],
  ["DATABASEURL", "DATABASE_URL"],
  ["DATABASE_URI", "DATABASE_URL"],
  ["TRUSTED_PROXIS", "TRUSTED_PROXIES"],
  ["SENTRY_TRACE_SAMPLE_RATE", "SENTRY_TRACES_SAMPLE_RATE"],
  ["LOGLEVEL", "LOG_LEVEL"],
  ["NEXT_PUBLIC_BASEPATH", "NEXT_PUBLIC_BASE_PATH"],
])("%s is told to mean %s", (name, meant) => {
  expect(advice({ [name]: "x" })).toEqual([
    { name, advice: expect.stringMatching(new RegExp(`\\b${meant}\\b`)) },
  ]);
});

test.each([
  "TRUSTED_PROXY",
  "SENTRY_SAMPLE_RATE",
  "RELAY_LIMIT",
  "OUTBOX_RETENTION_DAYS",
  "NEXT_PUBLIC_SENTRY_RATE",
])("%s has our prefix, and nothing reads it", (name) => {
  expect(advice({ [name]: "x" })).toMatchObject([{ name }]);
});

test("of what others read, nothing is told", () => {
  const others = `PATH HOME PWD HOST HOSTNAME PORT NODE_ENV NODE_OPTIONS LANG TZ CI npm_config_loglevel
    npm_lifecycle_event NEXT_RUNTIME NEXT_TELEMETRY_DISABLED NEXT_MANUAL_SIG_HANDLE NEXT_PUBLIC_BASE_URL
    SENTRY_AUTH_TOKEN SENTRY_ORG SENTRY_PROJECT SENTRY_URL SENTRY_LOG_LEVEL SENTRY_NAME SENTRY_DEBUG
    SENTRY_SPOTLIGHT SENTRY_PROPERTIES SENTRYCLI_CDNURL SENTRY_SERVICE_HOST SENTRY_PORT_9000_TCP_ADDR
    RELAY_SERVICE_PORT_HTTP RELAY_PORT DATABASE_HOST DATABASE_USER DATABASE_NAME DATA_PATH DATADOG_DSN
    DELIVERY_MODE DATABASE_PORT LOG_FILE LOG_FORMAT HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy
    no_proxy FTP_PROXY ftp_proxy ALL_PROXY`;
  expect(advice(Object.fromEntries(others.split(/\s+/).map((name) => [name, "1"])))).toEqual([]);
});

test("of our own, set or left empty, nothing is told", () => {
  const names = [...variables, ...appVariables, "SENTRY_DNS"];
  expect(advice(Object.fromEntries(names.map((name) => [name, ""])))).toEqual([]);
  expect(advice({ SENTRY_DSN: dsn, RELAY_RATE: "7", NEXT_PUBLIC_TUNNEL: "relay" })).toEqual([]);
});

test("what the build has fixed is told where the environment says otherwise", () => {
  expect(advice({ NEXT_PUBLIC_BASE_PATH: "/shell", NEXT_PUBLIC_TUNNEL: "post" })).toEqual([
    { name: "NEXT_PUBLIC_BASE_PATH", advice: 'It is fixed by the build, which has "".' },
    { name: "NEXT_PUBLIC_TUNNEL", advice: 'It is fixed by the build, which has "relay".' },
  ]);
});

test("DELIVER_TOKEN without a service, and a database without INBOX_TOKEN, are told", () => {
  const token = { DELIVER_TOKEN: "x".repeat(16) };
  const database = { DATABASE_URL: "postgres://a:b@db.example.com/c" };
  expect(advice(token)).toMatchObject([{ name: "DELIVER_TOKEN" }]);
  expect(advice({ ...token, SENTRY_DSN: dsn })).toEqual([]);
  expect(advice(database)).toMatchObject([{ name: "INBOX_TOKEN" }]);
  expect(advice({ ...database, INBOX_TOKEN: "long enough".replace(" ", "-") })).toEqual([]);
  expect(advice({ ...database, SENTRY_DSN: dsn })).toEqual([]);
});

test("a retention of whole reports that is longer than that of the inbox is told", () => {
  const INBOX_REPORT_RETENTION_DAYS = "20";
  expect(advice({ INBOX_REPORT_RETENTION_DAYS })).toEqual([]);
  expect(advice({ INBOX_REPORT_RETENTION_DAYS, INBOX_RETENTION_DAYS: "10" })).toEqual([
    {
      name: "INBOX_REPORT_RETENTION_DAYS",
      advice: "No report is kept for longer than INBOX_RETENTION_DAYS, which is 10.",
    },
  ]);
});

test("HOST is told where the standalone server does not read it", () => {
  const HOST = "127.0.0.1";
  const standalone = { __NEXT_PRIVATE_STANDALONE_CONFIG: "{}" };
  expect(advice({ HOST })).toEqual([]);
  expect(advice({ HOST, ...standalone })).toMatchObject([{ name: "HOST" }]);
  expect(advice({ HOST, HOSTNAME: HOST, ...standalone })).toEqual([]);
});
