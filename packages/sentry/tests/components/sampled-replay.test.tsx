import { afterEach, expect, test, vi } from "vitest";

const started = vi.hoisted(() => ({ replayed: [] as boolean[] }));

vi.mock("@/packages/sentry/src/browser/sdk/start", () => ({
  start: async (_moments: unknown, _options: unknown, isReplayed: boolean) => {
    started.replayed.push(isReplayed);
  },
}));
vi.mock("@/packages/sentry/src/browser/first-load/page-load", async (original) => ({
  ...(await original<object>()),
  whenSettled: (_delay: number, run: () => void) => run(),
}));
vi.mock("@/packages/sentry/src/browser/first-load/visit", async (original) => ({
  ...(await original<object>()),
  isVisitSampled: async () => false,
}));

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  sessionStorage.clear();
  started.replayed.length = 0;
});

/** What the SDK is told, if it is loaded, once a page has settled on which nothing has failed. */
async function drawsAfter(drawn: number, rate?: number): Promise<boolean[]> {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(drawn);
  const { watchErrors } = await import("@/packages/sentry/src/browser/first-load/watch-errors");
  watchErrors(rate === undefined ? {} : { replaysSessionSampleRate: rate });
  await vi.advanceTimersByTimeAsync(10_000);
  await vi.dynamicImportSettled();
  return started.replayed;
}

test("a visit that is drawn for a replay loads the SDK, sampled for tracing or not", async () => {
  expect(await drawsAfter(0.2, 0.3)).toEqual([true]);
});

test("a visit that is not drawn loads no SDK, nor does one without replays", async () => {
  expect(await drawsAfter(0.4, 0.3)).toEqual([]);
  expect(await drawsAfter(0)).toEqual([]);
});

test("a tab in which a replay has begun goes on with it", async () => {
  sessionStorage.setItem("sentryReplaySession", JSON.stringify({ sampled: "session" }));
  expect(await drawsAfter(0.4, 0.3)).toEqual([true]);
  sessionStorage.setItem("sentryReplaySession", JSON.stringify({ sampled: "buffer" }));
  started.replayed.length = 0;
  expect(await drawsAfter(0.4, 0.3)).toEqual([]);
});
