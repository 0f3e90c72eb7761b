import { type BrowserOptions, getClient } from "@sentry/browser";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.resetModules();
  sessionStorage.clear();
});

/** The rate that Replay draws by, in a visit that was drawn, or was not. */
async function rateOf(isReplayed: boolean): Promise<unknown> {
  Object.assign(window, { __NEXT_DATA__: { page: "/", buildId: "b" } });
  vi.stubGlobal("fetch", async () => Response.json({ tracesSampleRate: 0 }));
  const { start } = await import("@/packages/sentry/src/browser/sdk/start");
  await start([], { replaysSessionSampleRate: 0.3 }, isReplayed);
  const options: BrowserOptions | undefined = getClient()?.getOptions();
  return options?.replaysSessionSampleRate;
}

test("Replay has no choice left where the visit is drawn", async () => {
  expect(await rateOf(true)).toBe(1);
  expect(await rateOf(false)).toBe(0);
});

test("it draws by the app's rate in a tab in which it has begun, should that end", async () => {
  sessionStorage.setItem("sentryReplaySession", JSON.stringify({ sampled: "session" }));
  expect(await rateOf(true)).toBe(0.3);
});
