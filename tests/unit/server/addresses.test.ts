import { expect, test } from "vitest";
import { addresses } from "@/lib/server/addresses";
import { parseDsn } from "@/packages/relay/src/dsn";

const url = "http://localhost:3000/shell";
const random = { dsn: undefined, inboxToken: "ab12", inboxTokenIsRandom: true };

test("without a service the inbox is shown under the base path, with a token that nobody else knows", () => {
  expect(addresses(url, random, true)).toEqual({
    App: `${url}/`,
    Inbox: `${url}/reports?token=ab12`,
  });
});

test("a token that the operator chose is in no output", () => {
  const chosen = { ...random, inboxTokenIsRandom: false };
  expect(addresses(url, chosen, true)).toEqual({ App: `${url}/`, Inbox: `${url}/reports` });
});

test("without a service and an inbox it says that reports go nowhere", () => {
  expect(addresses(url, random, false)).toEqual({
    App: `${url}/`,
    Reports: "nowhere: set SENTRY_DSN",
  });
});

test("with a service it says where reports go, and neither token nor key", () => {
  const dsn = parseDsn("https://public@sentry.example.com/42");
  expect(addresses(url, { ...random, dsn }, true)).toEqual({
    App: `${url}/`,
    Reports: "https://sentry.example.com, project 42",
  });
});
