import { expect, onTestFinished, test, vi } from "vitest";
import { serving } from "@/lib/sentry/src/shared/server/serving";
import { shutDownOnSignal } from "@/lib/sentry/src/shared/server/shutdown";

/** Hears when the process would end, and lets no listener of a test stay. */
function watchExit() {
  const exit = vi.spyOn(process, "exit").mockImplementation((() => {}) as () => never);
  const before = process.listeners("SIGTERM").concat(process.listeners("SIGINT"));
  onTestFinished(() => {
    exit.mockRestore();
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const added = process.listeners(signal).filter((listener) => !before.includes(listener));
      for (const listener of added) process.off(signal, listener);
    }
  });
  return exit;
}

test("claims end with the notice, and the rest is settled once the requests are answered", async () => {
  const exit = watchExit();
  const calls: string[] = [];
  const left: number[] = [];
  const note = (call: string, maxMs: number) => {
    calls.push(call);
    left.push(maxMs);
  };
  const settle = async (maxMs: number) => note("settle", maxMs);
  shutDownOnSignal({ settle, stopClaiming: (maxMs) => note("stopClaiming", maxMs) }, 60_000);
  const state = serving();
  state.requestsInFlight = 1;
  process.emit("SIGINT", "SIGINT");
  await expect.poll(() => calls).toEqual(["stopClaiming"]);
  state.requestsInFlight = 0;
  state.onResponse?.();
  await expect.poll(() => exit.mock.calls).toEqual([[0]]);
  expect(calls).toEqual(["stopClaiming", "settle"]);
  expect(left[0]).toBeGreaterThan(left[1] ?? 0);
});

test("a supervisor's signal leaves the time to notice, which Ctrl-C does not need", async () => {
  const exit = watchExit();
  const noticeMs = 300;
  let endedAt = 0;
  const stopClaiming = () => {
    endedAt = performance.now();
  };
  shutDownOnSignal({ settle: async () => {}, stopClaiming }, noticeMs);
  const signalledAt = performance.now();
  process.emit("SIGTERM", "SIGTERM");
  expect(serving().stopping).toBe(true);
  await expect.poll(() => exit.mock.calls).toEqual([[0]]);
  // Timers count whole milliseconds.
  expect(endedAt - signalledAt).toBeGreaterThanOrEqual(noticeMs - 1);
});

test("Next's listener makes room, and the app's own stay", () => {
  watchExit();
  const cleanup = vi.fn();
  const ofNext = (): string => "start-server process cleanup";
  for (const listener of [cleanup, ofNext]) process.on("SIGTERM", listener);
  shutDownOnSignal({ settle: async () => {}, stopClaiming: () => {} }, 0);
  expect(process.listeners("SIGTERM")).toContain(cleanup);
  expect(process.listeners("SIGTERM")).not.toContain(ofNext);
});
