import { expect, test, vi } from "vitest";
import { Refusals } from "@/packages/relay/src/http/refusals";

test("what is refused is told once a minute, by reason and number, and each kind in a line of its own", async () => {
  vi.useFakeTimers();
  const write = vi.fn();
  const refusals = new Refusals(write);
  for (let n = 0; n < 3; n++) refusals.note("envelopes", "rate_limited");
  refusals.note("envelopes", "too_large");
  refusals.note("requests", "too_many_in_flight");
  expect(write).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  const first = [
    ["warn", "envelopes refused", { rate_limited: 3, too_large: 1 }],
    ["warn", "requests refused", { too_many_in_flight: 1 }],
  ];
  expect(write.mock.calls).toEqual(first);
  vi.advanceTimersByTime(600_000);
  expect(write.mock.calls).toEqual(first);
  refusals.note("envelopes", "rate_limited");
  vi.advanceTimersByTime(60_000);
  expect(write.mock.calls.slice(2)).toEqual([["warn", "envelopes refused", { rate_limited: 1 }]]);
  expect(refusals.counts.get("envelopes")).toEqual(
    new Map([
      ["rate_limited", 4],
      ["too_large", 1],
    ]),
  );
});

test("a process that ends tells what is not told yet, and no more", () => {
  const write = vi.fn();
  const refusals = new Refusals(write);
  refusals.tell();
  expect(write).not.toHaveBeenCalled();
  refusals.note("feedback", "rate_limited");
  refusals.tell();
  refusals.tell();
  expect(write.mock.calls).toEqual([["warn", "feedback refused", { rate_limited: 1 }]]);
});
