import { expect, test } from "vitest";
import type { Priority } from "@/lib/envelope/categories";
import { PendingWrites } from "@/lib/outbox/pending-writes";

test("writes of high priority take the places of the oldest of low priority, and no others", () => {
  const rejected: string[] = [];
  const full: string[] = [];
  const pending = new PendingWrites((error) => full.push(error.fault), 4);
  const add = (name: string, priority: Priority) => {
    const reject = () => void rejected.push(name);
    pending.add({ bytes: 1, priority, resolve() {}, reject });
  };
  add("low 1", "low");
  add("high 1", "high");
  add("low 2", "low");
  add("high 2", "high");
  add("low 3", "low");
  expect(rejected).toEqual(["low 3"]);
  add("high 3", "high");
  add("high 4", "high");
  expect(rejected).toEqual(["low 3", "low 1", "low 2"]);
  add("high 5", "high");
  expect(rejected).toEqual(["low 3", "low 1", "low 2", "high 5"]);
  expect(full).toEqual(["busy", "busy", "busy", "busy"]);
  expect([pending.take(1).length, pending.size]).toEqual([1, 3]);
  add("high 6", "high");
  expect([rejected.length, pending.size]).toEqual([4, 4]);
});
