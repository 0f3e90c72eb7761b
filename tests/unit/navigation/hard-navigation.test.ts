import { describe, expect, it } from "vitest";
import { isLoop } from "@/lib/navigation/hard-navigation";

describe("isLoop", () => {
  it("is so for the present page after one hard navigation", () => {
    expect(isLoop([], true, 1000)).toBe(false);
    expect(isLoop([1000], true, 2000)).toBe(true);
  });

  it("is so for another page after two", () => {
    expect(isLoop([1000], false, 2000)).toBe(false);
    expect(isLoop([1000, 1500], false, 2000)).toBe(true);
  });

  it("is not so after 30 s, because then it is another failure", () => {
    expect(isLoop([1000], true, 30_999)).toBe(true);
    expect(isLoop([1000], true, 31_000)).toBe(false);
  });
});
