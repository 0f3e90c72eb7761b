import { expect, test } from "vitest";
import { parseDsn } from "@/lib/config/dsn";
import { announcement } from "@/scripts/announcement";

test("without a service the inbox is shown with its token, under the base path", () => {
  const text = announcement(
    "http://localhost:3000/shell",
    { dsn: undefined, inboxToken: "a&b" },
    true,
  );
  expect(text).toContain("http://localhost:3000/shell/\n");
  expect(text).toContain("http://localhost:3000/shell/reports?token=a%26b");
});

test("without a service and an inbox it says that reports go nowhere", () => {
  const text = announcement("http://localhost", { dsn: undefined, inboxToken: "a" }, false);
  expect(text).toContain("set SENTRY_DSN");
  expect(text).not.toContain("/reports");
});

test("with a service it says where reports go, and neither token nor key", () => {
  const dsn = parseDsn("https://public@sentry.example.com/42");
  const text = announcement("http://localhost:3000", { dsn, inboxToken: "secret" });
  expect(text).toContain("https://sentry.example.com, project 42");
  expect(text).not.toMatch(/secret|public|\/reports/);
});
