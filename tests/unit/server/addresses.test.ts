import { afterEach, expect, test, vi } from "vitest";
import { addresses, sayAddresses } from "@/lib/server/addresses";
import { parseDsn } from "@/packages/relay/src/dsn";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

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

test("of a custom server whose port is not known, it says the path alone", () => {
  vi.stubEnv("__NEXT_PRIVATE_ORIGIN", undefined);
  vi.stubEnv("PORT", undefined);
  const said = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  sayAddresses({ dsn: undefined });
  expect(said.mock.calls.join()).toMatch(/^\n {2}App {6}\//);
});
