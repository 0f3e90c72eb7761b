import { expect, test } from "vitest";
import { BytesInHand } from "@/lib/http/body-memory";

const mebibyte = 1024 * 1024;

test("an address has an eighth of the room, and has it again once it gave it back", () => {
  const inHand = new BytesInHand(2 * mebibyte);
  expect(inHand.take(8 * mebibyte, "one")).toBe(true);
  expect(inHand.take(1, "one")).toBe(false);
  expect(inHand.take(8 * mebibyte, "other")).toBe(true);
  inHand.giveBack(8 * mebibyte, "one");
  expect(inHand.take(8 * mebibyte, "one")).toBe(true);
});

test("all addresses together have the whole and no more", () => {
  const inHand = new BytesInHand(2 * mebibyte);
  for (let i = 0; i < 8; i += 1) expect(inHand.take(8 * mebibyte, `${i}`)).toBe(true);
  expect(inHand.take(1, "late")).toBe(false);
  expect(inHand.take(1)).toBe(false);
});

test("the largest envelope fits in one address's part, however large it may be", () => {
  const inHand = new BytesInHand(100 * mebibyte);
  expect(inHand.take(100 * mebibyte, "one")).toBe(true);
});
