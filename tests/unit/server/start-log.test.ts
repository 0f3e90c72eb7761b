import { expect, test } from "vitest";
import { inboxConfig } from "@/lib/config";
import { hasInbox } from "@/lib/navigation/built-in";
import { understood } from "@/lib/server/start-log";
import { readRuntimeConfig } from "@/packages/sentry/src/shared/environment/runtime";

/** Of the inbox, which a team may have taken out. */
const retention = hasInbox ? { inboxRetentionDays: 30, inboxReportRetentionDays: 7 } : {};

test("the line at start says what was understood, with a service and a file", () => {
  const config = readRuntimeConfig({
    SENTRY_DSN: "https://secret-key@sentry.example.com:9000/base/17",
    TRUSTED_PROXIES: "loopback, 10.0.0.0/8",
    RELAY_RATE: "50",
  });
  expect(understood({ ...config, ...inboxConfig({}) })).toMatchObject({
    reports: "service",
    service: "sentry.example.com:9000",
    project: "17",
    outbox: "file",
    dataDir: config.dataDir,
    trustedProxies: "loopback, 10.0.0.0/8",
    serverTracesSampleRate: 0.1,
    relayRate: 50,
    ...retention,
    node: process.versions.node,
  });
  expect(JSON.stringify(understood({ ...config, ...inboxConfig({}) }))).not.toContain("secret");
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
  const fields = understood({ ...readRuntimeConfig({ DATABASE_URL: url }), ...inboxConfig({}) });
  expect(fields).toMatchObject({ outbox: "postgres", database, schema: "signpost" });
  expect(fields).toMatchObject(retention);
  expect(fields).not.toHaveProperty("dataDir");
  expect(JSON.stringify(fields)).not.toContain("secret");
});
