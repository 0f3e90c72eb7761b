import { expect, test } from "vitest";
import { understood } from "@/lib/server/start-log";
import { readRuntimeConfig } from "@/packages/sentry/src/shared/environment/runtime";

test("the line at start says what was understood, with a service and a file", () => {
  const config = readRuntimeConfig({
    SENTRY_DSN: "https://secret-key@sentry.example.com:9000/base/17",
    TRUSTED_PROXIES: "loopback, 10.0.0.0/8",
    RELAY_RATE: "50",
  });
  expect(understood(config)).toMatchObject({
    reports: "service",
    service: "sentry.example.com:9000",
    project: "17",
    outbox: "file",
    dataDir: config.dataDir,
    trustedProxies: "loopback, 10.0.0.0/8",
    serverTracesSampleRate: 0.1,
    relayRate: 50,
    node: process.versions.node,
  });
  expect(JSON.stringify(understood(config))).not.toContain("secret");
});

test.each([
  [
    "postgres://user:secret@db.example.com:5433/reports?sslmode=verify-full",
    "db.example.com:5433/reports",
  ],
  ["postgres://user:secret@/reports?host=/cloudsql/a:b:c", "/cloudsql/a:b:c/reports"],
  ["postgres://db.example.com/reports?sslrootcert=/no/such/file&password=secret", "postgres"],
  ["postgres:///reports?host=/run/postgresql&password=secret", "/run/postgresql/reports"],
])("with a database it names host and database, and no password: %s", (url, database) => {
  const fields = understood(readRuntimeConfig({ DATABASE_URL: url }));
  expect(fields).toMatchObject({ outbox: "postgres", database, schema: "signpost" });
  expect(fields).not.toHaveProperty("dataDir");
  expect(JSON.stringify(fields)).not.toContain("secret");
});
