import { expect, test } from "vitest";
import { addresses } from "@/lib/server/addresses";
import { parseDsn } from "@/packages/relay/src/dsn";

const url = "http://localhost:3000/shell";

test("a destination in the app's own store has said itself where it is", () => {
  expect(addresses(url, { dsn: undefined }, "inbox")).toEqual({ App: `${url}/` });
});

test("without a service and a destination it says that reports go nowhere", () => {
  expect(addresses(url, { dsn: undefined }, undefined)).toEqual({
    App: `${url}/`,
    Reports: "nowhere: set SENTRY_DSN",
  });
});

test("with a service it says where reports go, and no key", () => {
  const dsn = parseDsn("https://public@sentry.example.com/42");
  expect(addresses(url, { dsn }, "inbox")).toEqual({
    App: `${url}/`,
    Reports: "https://sentry.example.com, project 42",
  });
});
