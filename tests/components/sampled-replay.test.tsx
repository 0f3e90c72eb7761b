import { afterEach, expect, test, vi } from "vitest";
import type { ClientOptions } from "@/lib/sentry/src/browser/client-options";

const started = vi.hoisted(() => ({ options: [] as ClientOptions[] }));

vi.mock("@/lib/sentry/src/browser/sdk/sdk", () => ({
  start: async (_moments: unknown, options: ClientOptions) => {
    started.options.push(options);
  },
}));
// The page has settled.
vi.mock("@/lib/sentry/src/browser/first-load/page-load", () => ({
  afterLoad: (run: () => void) => run(),
  whenIdle: (run: () => void) => run(),
  whenShown: (run: () => void) => run(),
}));
vi.mock("@/lib/sentry/src/browser/first-load/visit", () => ({
  isVisitSampled: async () => false,
}));

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  sessionStorage.clear();
  started.options.length = 0;
});

/** The rates that the SDK gets once a page has settled on which nothing has failed. */
async function ratesAfter(drawn: number, rate?: number): Promise<(number | undefined)[]> {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(drawn);
  const { watchErrors } = await import("@/lib/sentry/src/browser/first-load/watch-errors");
  watchErrors(rate === undefined ? {} : { replaysSessionSampleRate: rate });
  await vi.advanceTimersByTimeAsync(10_000);
  await vi.dynamicImportSettled();
  return started.options.map(({ replaysSessionSampleRate }) => replaysSessionSampleRate);
}

test("a visit that is drawn for a replay loads the SDK, sampled for tracing or not", async () => {
  expect(await ratesAfter(0.2, 0.3)).toEqual([1]);
});

test("a visit that is not drawn loads no SDK, nor does one without replays", async () => {
  expect(await ratesAfter(0.4, 0.3)).toEqual([]);
  expect(await ratesAfter(0)).toEqual([]);
});

test("a tab in which a replay has begun goes on with it", async () => {
  sessionStorage.setItem("sentryReplaySession", JSON.stringify({ sampled: "session" }));
  expect(await ratesAfter(0.4, 0.3)).toEqual([0.3]);
  sessionStorage.setItem("sentryReplaySession", JSON.stringify({ sampled: "buffer" }));
  started.options.length = 0;
  expect(await ratesAfter(0.4, 0.3)).toEqual([]);
});
