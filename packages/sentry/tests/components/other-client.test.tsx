import { getClient, setCurrentClient } from "@sentry/browser";
import { expect, test, vi } from "vitest";

test("another copy of the SDK is told, once, as it starts", async () => {
  Object.assign(window, { __NEXT_DATA__: { page: "/", buildId: "b" } });
  vi.stubGlobal("fetch", async () => Response.json({ tracesSampleRate: 0 }));
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const told = () => warn.mock.calls.filter(([text]) => /Another copy/.test(String(text))).length;
  await import("@/packages/sentry/src/browser/functions/calls");
  const { start } = await import("@/packages/sentry/src/browser/sdk/start");
  await start([]);
  expect(told()).toBe(0);
  const own = getClient();
  // As the `init` of any of Sentry's packages for browsers does.
  const other = Object.create(own ?? null);
  setCurrentClient(other);
  setCurrentClient(other);
  expect(told()).toBe(1);
  warn.mockRestore();
});
