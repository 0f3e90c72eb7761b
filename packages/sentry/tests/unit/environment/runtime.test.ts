import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { noteUpload } from "@/packages/sentry/src/config/kept-source-maps";
import { ConfigError } from "@/packages/sentry/src/shared/environment/check-environment";
import { readRuntimeConfig } from "@/packages/sentry/src/shared/environment/runtime";
import { temporaryFolder } from "@/tests/support/folders";

/** What a refused environment is told. */
function refusal(env: Record<string, string>): string {
  try {
    readRuntimeConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error("The environment was accepted");
}

test("an empty environment is a good one", () => {
  const config = readRuntimeConfig({});
  expect(config).toMatchObject({
    dsn: undefined,
    environment: "development",
    release: "development",
    serverTracesSampleRate: 1,
    serverTracing: "requests",
    browserTracesSampleRate: 1,
    relayMaxBytes: 2_097_152,
    relayRate: 300,
    outboxRetentionHours: 24,
    trustedProxies: [],
    reportClientIp: false,
    logLevel: "info",
    production: false,
  });
  expect(config.dataDir).toBe(join(process.cwd(), "data"));
});

test("everything is measured where there is no service, and a tenth where there is one", () => {
  const rates = (env: Record<string, string>) => {
    const config = readRuntimeConfig(env);
    return [config.serverTracesSampleRate, config.browserTracesSampleRate];
  };
  const SENTRY_DSN = "https://key@sentry.example.com/1";
  expect(rates({})).toEqual([1, 1]);
  expect(rates({ SENTRY_DSN })).toEqual([0.1, 0.1]);
  expect(rates({ SENTRY_DSN, SENTRY_TRACES_SAMPLE_RATE: "1" })).toEqual([1, 0.1]);
});

test("variables that are set to nothing count as not set", () => {
  expect(readRuntimeConfig({ SENTRY_DSN: "", RELAY_RATE: "", LOG_LEVEL: "" })).toMatchObject({
    dsn: undefined,
    relayRate: 300,
    outboxRetentionHours: 24,
    logLevel: "info",
  });
});

describe("the proxy by which the service is reached", () => {
  const proxyOf = (env: Record<string, string>, SENTRY_DSN = "https://key@sentry.example/1") =>
    readRuntimeConfig({ ...env, SENTRY_DSN }).proxy;

  test.each([
    [{ HTTPS_PROXY: "http://a.example:3128" }, "http://a.example:3128"],
    [{ HTTPS_PROXY: "proxy.corp:3128" }, "http://proxy.corp:3128"],
    [{ HTTPS_PROXY: "192.0.2.1" }, "http://192.0.2.1"],
    [{ https_proxy: "https://b.example", HTTPS_PROXY: "a.example" }, "https://b.example"],
    [{ https_proxy: "", HTTPS_PROXY: " a.example:1 " }, "http://a.example:1"],
  ])("is read as curl reads it: %o", (env, url) => {
    expect(proxyOf(env)).toEqual({ url, authorization: undefined, bypass: "" });
    expect(proxyOf({ HTTP_PROXY: "http://other.example" })).toBeUndefined();
  });

  test("is that of the DSN's protocol", () => {
    const env = { HTTP_PROXY: "a.example:3128", NO_PROXY: "*", no_proxy: "b.example" };
    const proxy = { url: "http://a.example:3128", bypass: "b.example" };
    expect(proxyOf(env, "http://key@sentry.example/1")).toMatchObject(proxy);
  });

  test.each([
    ["me:se%25cret@a.example:3128", "me:se%cret"],
    ["http://token@a.example:3128", "token:"],
  ])("may want a password: %s", (HTTPS_PROXY, credentials) => {
    const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
    expect(proxyOf({ HTTPS_PROXY })).toMatchObject({ url: "http://a.example:3128", authorization });
  });

  test.each(["ftp://proxy:1", "socks5://proxy:1080", "https://:1", "me:%zz@proxy", "a b"])(
    "keeps no server from starting where it can't be used: %s",
    (wrong) => {
      const reason =
        "https_proxy is not the address of an HTTP proxy, for example https_proxy=http://proxy.example.com:3128";
      expect(proxyOf({ https_proxy: wrong })).toEqual({ variable: "https_proxy", reason });
      // Other programs may understand it.
      expect(readRuntimeConfig({ https_proxy: wrong }).proxy).toBeUndefined();
    },
  );
});

test("the environment follows NODE_ENV unless it is named", () => {
  expect(readRuntimeConfig({ NODE_ENV: "production" }).environment).toBe("production");
  const named = readRuntimeConfig({ NODE_ENV: "production", SENTRY_ENVIRONMENT: "staging" });
  expect(named.environment).toBe("staging");
});

test("stacks are resolved unless that is turned off, or the build that is served has uploaded its maps", () => {
  const before = process.cwd();
  process.chdir(temporaryFolder());
  onTestFinished(() => process.chdir(before));
  const resolves = (value: string, NODE_ENV = "production") =>
    readRuntimeConfig({ NODE_ENV, SENTRY_RESOLVE_STACKS: value }).resolveStacks;
  expect([resolves(""), resolves("off"), resolves("on")]).toEqual([true, false, true]);
  noteUpload(".next", "b1");
  expect([resolves(""), resolves("off"), resolves("on")]).toEqual([false, false, true]);
  expect([resolves("", "development"), resolves("off", "development")]).toEqual([true, false]);
  expect(refusal({ SENTRY_RESOLVE_STACKS: "yes" })).toContain('must be "on" or "off"');
});

describe("accepts", () => {
  test.each([
    ["SENTRY_TRACES_SAMPLE_RATE", "0", "serverTracesSampleRate", 0],
    ["SENTRY_TRACES_SAMPLE_RATE", "1", "serverTracesSampleRate", 1],
    ["SENTRY_TRACES_SAMPLE_RATE", ".25", "serverTracesSampleRate", 0.25],
    ["BROWSER_TRACES_SAMPLE_RATE", "1.0", "browserTracesSampleRate", 1],
    ["SENTRY_SERVER_TRACING", "full", "serverTracing", "full"],
    ["SENTRY_RELEASE", "app@2.1.0+7", "release", "app@2.1.0+7"],
    ["SENTRY_RELEASE", "My App 2.1 (7)", "release", "My App 2.1 (7)"],
    ["SENTRY_RELEASE", "x".repeat(200), "release", "x".repeat(200)],
    ["SENTRY_ENVIRONMENT", "staging", "environment", "staging"],
    ["DATA_DIR", "/var/lib/signpost", "dataDir", "/var/lib/signpost"],
    ["RELAY_MAX_BYTES", "1024", "relayMaxBytes", 1024],
    ["RELAY_MAX_BYTES", "52428800", "relayMaxBytes", 52_428_800],
    ["RELAY_RATE", "1", "relayRate", 1],
    ["OUTBOX_RETENTION_HOURS", "72", "outboxRetentionHours", 72],
    ["SHUTDOWN_NOTICE_SECONDS", "5", "shutdownNoticeMs", 5000],
    ["REPORT_CLIENT_IP", "true", "reportClientIp", true],
    ["LOG_LEVEL", "debug", "logLevel", "debug"],
  ] as const)("%s=%s", (name, value, field, expected) => {
    expect(readRuntimeConfig({ [name]: value })[field]).toBe(expected);
  });

  test.each([
    "postgresql://user:pass@/orders?host=/cloudsql/project:region:instance",
    "postgres://user:p%40ss@%2Fvar%2Frun%2Fpostgresql/orders",
    "postgres://me@[::1]:5432/app?sslmode=verify-full",
    "postgres:///orders?host=/var/run/postgresql&user=me",
    "postgres://db.example.com/app?sslmode=verify-full&sslrootcert=/no/such/file",
    "socket:/var/run/postgresql?db=orders",
    "/var/run/postgresql orders",
  ])("a database as pg reads it: %s", (url) => {
    expect(readRuntimeConfig({ DATABASE_URL: url }).database?.url).toBe(url);
  });

  test("a list of proxies", () => {
    const { trustedProxies } = readRuntimeConfig({ TRUSTED_PROXIES: "loopback, 10.0.0.0/8" });
    expect(trustedProxies).toEqual(["loopback", "10.0.0.0/8"]);
  });
});

describe("refuses, naming the variable, its fault and an example,", () => {
  test.each([
    ["SENTRY_ENVIRONMENT", ["a/b", "a\\b", "a\nb", "a\u007fb", ".", "..", "None", "x".repeat(65)]],
    ["SENTRY_RELEASE", ["a\\b", "a\tb", "a\nb", " a", "a ", ".", "..", "Latest", "é".repeat(101)]],
  ])("as %s, each name that Sentry refuses", (name, values) => {
    for (const value of values) {
      expect(() => readRuntimeConfig({ [name]: value })).toThrow(
        `${name} is ${JSON.stringify(value)}: must be 1 to`,
      );
    }
  });

  test.each([
    ["SENTRY_DSN", "nonsense", "is not a DSN"],
    ["SENTRY_DSN", "https://sentry.example.com/1", "is not a DSN"],
    ["SENTRY_ENVIRONMENT", "a b", "must be 1 to 64 characters without spaces"],
    ["SENTRY_RELEASE", "a/b", "must be 1 to 200 bytes without slashes"],
    ["SENTRY_TRACES_SAMPLE_RATE", "2", "must be a number from 0 to 1"],
    ["SENTRY_TRACES_SAMPLE_RATE", "-1", "must be a number from 0 to 1"],
    ["SENTRY_TRACES_SAMPLE_RATE", "10%", "must be a number from 0 to 1"],
    ["SENTRY_TRACES_SAMPLE_RATE", "NaN", "must be a number from 0 to 1"],
    ["BROWSER_TRACES_SAMPLE_RATE", "1.1", "must be a number from 0 to 1"],
    ["SENTRY_SERVER_TRACING", "some", 'must be "requests" or "full"'],
    ["DATABASE_URL", "mysql://db.example.com/signpost", "is not a Postgres URL"],
    ["DATABASE_URL", "signpost", "is not a Postgres URL"],
    ["DATABASE_URL", "postgres://db.example.com:port/signpost", "is not a Postgres URL"],
    ["DATABASE_URL", "postgres://db.example.com/a?sslmode=verify-ful", "has an sslmode"],
    ["DATABASE_URL", "postgres://me@/a?host=/x&sslmode=verify-ful", "has an sslmode"],
    ["DATABASE_SCHEMA", "pg_catalog", "not begin with a digit or pg_"],
    ["DATABASE_SCHEMA", 'a"; drop table', "lower-case letters"],
    ["RELAY_MAX_BYTES", "2MB", "must be a whole number"],
    ["RELAY_MAX_BYTES", "10", "must be a whole number from 1024"],
    ["RELAY_MAX_BYTES", "52428801", "must be a whole number from 1024 to 52428800"],
    ["RELAY_RATE", "0", "must be a whole number from 1"],
    ["OUTBOX_RETENTION_HOURS", "0", "must be a whole number from 1 to 720"],
    ["INBOX_RETENTION_DAYS", "366", "must be a whole number from 1 to 365"],
    ["INBOX_REPORT_RETENTION_DAYS", "0", "must be a whole number from 1 to 365"],
    ["INBOX_TOKEN", "two words", "must be 1 to 256 characters without spaces"],
    ["SHUTDOWN_NOTICE_SECONDS", "6", "must be a whole number from 0 to 5"],
    ["RELAY_RATE", "1.5", "must be a whole number from 1"],
    ["TRUSTED_PROXIES", "everyone", "is not a list of addresses"],
    ["REPORT_CLIENT_IP", "yes", 'must be "true" or "false"'],
    ["LOG_LEVEL", "verbose", "must be debug, info, warn or error"],
  ])("%s=%s", (name, value, fault) => {
    const message = refusal({ [name]: value });
    expect(message).toContain(fault);
    expect(message).toMatch(new RegExp(`^  ${name}\\b`, "m"));
    expect(message).toMatch(new RegExp(`for example ${name}=\\S`));
  });

  test("every variable at fault, not only the first", () => {
    const message = refusal({ SENTRY_DSN: "x", LOG_LEVEL: "x" });
    expect(message).toContain("SENTRY_DSN");
    expect(message).toContain("LOG_LEVEL");
  });

  test("a secret without repeating it", () => {
    expect(refusal({ DATABASE_URL: "postgres://me:secret@[bad/db" })).not.toContain("secret@");
  });
});
