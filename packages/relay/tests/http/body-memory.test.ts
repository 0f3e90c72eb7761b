import { expect, test } from "vitest";
import { BodyMemory } from "@/packages/relay/src/http/body-memory";

const mebibyte = 1024 * 1024;

test("an address has an eighth of the room, and has it again once it gave it back", () => {
  const memory = new BodyMemory(2 * mebibyte);
  expect(memory.take(8 * mebibyte, "one")).toBe(true);
  expect(memory.take(1, "one")).toBe(false);
  expect(memory.take(8 * mebibyte, "other")).toBe(true);
  memory.release(8 * mebibyte, "one");
  expect(memory.take(8 * mebibyte, "one")).toBe(true);
});

test("all addresses together have the whole and no more", () => {
  const memory = new BodyMemory(2 * mebibyte);
  for (let i = 0; i < 8; i += 1) expect(memory.take(8 * mebibyte, `${i}`)).toBe(true);
  expect(memory.take(1, "late")).toBe(false);
  expect(memory.take(1)).toBe(false);
});

test("the largest envelope fits in one address's part, however large it may be", () => {
  const memory = new BodyMemory(100 * mebibyte);
  expect(memory.take(100 * mebibyte, "one")).toBe(true);
});

test("bodies of low priority leave a quarter of the room to others", () => {
  const memory = new BodyMemory(2 * mebibyte);
  for (let i = 0; i < 6; i += 1) expect(memory.take(8 * mebibyte, `${i}`, "low")).toBe(true);
  expect(memory.take(1, "late", "low")).toBe(false);
  expect(memory.take(8 * mebibyte, "late")).toBe(true);
});
