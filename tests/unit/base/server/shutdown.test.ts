import { expect, onTestFinished, test, vi } from "vitest";
import { serving } from "@/lib/sentry/src/shared/server/serving";
import { shutDownOnSignal } from "@/lib/sentry/src/shared/server/shutdown";

test("claims end with the notice, and the rest is settled once the requests are answered", async () => {
  const exit = vi.spyOn(process, "exit").mockImplementation((() => {}) as () => never);
  const before = process.listeners("SIGTERM").concat(process.listeners("SIGINT"));
  onTestFinished(() => {
    exit.mockRestore();
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const added = process.listeners(signal).filter((listener) => !before.includes(listener));
      for (const listener of added) process.off(signal, listener);
    }
  });
  const calls: string[] = [];
  const left: number[] = [];
  const note = (call: string, maxMs: number) => {
    calls.push(call);
    left.push(maxMs);
  };
  const settle = async (maxMs: number) => note("settle", maxMs);
  shutDownOnSignal({ settle, endClaims: (maxMs) => note("endClaims", maxMs) }, false);
  const state = serving();
  state.requestsInFlight = 1;
  process.emit("SIGINT", "SIGINT");
  await expect.poll(() => calls).toEqual(["endClaims"]);
  state.requestsInFlight = 0;
  state.onResponse?.();
  await expect.poll(() => exit.mock.calls).toEqual([[0]]);
  expect(calls).toEqual(["endClaims", "settle"]);
  expect(left[0]).toBeGreaterThan(left[1] ?? 0);
});
