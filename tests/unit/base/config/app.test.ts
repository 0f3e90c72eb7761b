import { expect, test } from "vitest";
import { appVariables, readAppConfig } from "@/lib/base/config/app";
import { runtimeVariables } from "@/packages/sentry/src/shared/environment/runtime";

test("each start makes up a token of its own, unless one is given", () => {
  const [one, other] = [readAppConfig({}), readAppConfig({})];
  expect(one.inboxToken).toMatch(/^[\da-f]{32}$/);
  expect(one.inboxToken).not.toBe(other.inboxToken);
  expect(readAppConfig({ INBOX_TOKEN: "mine" })).toMatchObject({
    inboxToken: "mine",
    inboxTokenIsRandom: false,
  });
});

test("retention is in days", () => {
  const env = { INBOX_RETENTION_DAYS: "90", INBOX_REPORT_RETENTION_DAYS: "1" };
  expect(readAppConfig(env)).toMatchObject({ inboxRetentionDays: 90, inboxReportRetentionDays: 1 });
  const short = { inboxRetentionDays: 3, inboxReportRetentionDays: 3 };
  expect(readAppConfig({ INBOX_RETENTION_DAYS: "3" })).toMatchObject(short);
});

test.each([
  ["INBOX_RETENTION_DAYS", "366", "from 1 to 365"],
  ["INBOX_REPORT_RETENTION_DAYS", "0", "from 1 to 365"],
  ["INBOX_TOKEN", "two words", "1 to 256 characters without spaces"],
  ["DELIVER_TOKEN", "too-short", "16 to 256"],
  ["METRICS_TOKEN", "my secret is long", "16 to 256"],
  ["KEEP_ALIVE_TIMEOUT", "65", "must be milliseconds, a whole number from 1000"],
])("%s=%s is refused, with an example", (name, value, fault) => {
  const refused = () => readAppConfig({ [name]: value });
  expect(refused).toThrow(`for example ${name}=`);
  expect(refused).toThrow(fault);
  if (name.endsWith("TOKEN")) expect(refused).not.toThrow(value);
});

test("the reporting reads none of the app's own variables", () => {
  expect(runtimeVariables.filter((name) => appVariables.includes(name))).toEqual([]);
});
