import { describe, expect, it } from "vitest";
import { isLoop } from "@/lib/site/navigation/hard-navigation";

describe("isLoop", () => {
  it("is so for a URL that a hard navigation has loaded", () => {
    expect(isLoop({}, "/a", 1000)).toBe(false);
    expect(isLoop({ "/a": 1000 }, "/a", 2000)).toBe(true);
    expect(isLoop({ "/a": 1000 }, "/b", 2000)).toBe(false);
  });

  it("is not so after 30 s, because then it is another failure", () => {
    expect(isLoop({ "/a": 1000 }, "/a", 30_999)).toBe(true);
    expect(isLoop({ "/a": 1000 }, "/a", 31_000)).toBe(false);
  });
});
