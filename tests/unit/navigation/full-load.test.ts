import { describe, expect, it } from "vitest";
import { withFullLoad } from "@/lib/navigation/full-load";

describe("withFullLoad", () => {
  it("lets a URL be loaded fully once, and remembers it", () => {
    expect(withFullLoad({}, "/a", 1000)).toEqual({ "/a": 1000 });
    expect(withFullLoad({ "/a": 1000 }, "/a", 2000)).toBeUndefined();
  });

  it("lets another URL be loaded, and then neither of them again", () => {
    const both = withFullLoad({ "/a": 1000 }, "/b", 2000);
    expect(both).toEqual({ "/a": 1000, "/b": 2000 });
    expect(withFullLoad(both ?? {}, "/a", 3000)).toBeUndefined();
  });

  it("forgets a URL after 30 s, because then it is another failure", () => {
    expect(withFullLoad({ "/a": 1000 }, "/a", 30_999)).toBeUndefined();
    expect(withFullLoad({ "/a": 1000, "/b": 5000 }, "/a", 31_000)).toEqual({
      "/a": 31_000,
      "/b": 5000,
    });
  });
});
