import { describe, expect, it } from "vitest";
import { withHardNavigation } from "@/lib/site/navigation/hard-navigation";

describe("withHardNavigation", () => {
  it("lets a URL have one hard navigation, and remembers it", () => {
    expect(withHardNavigation({}, "/a", 1000)).toEqual({ "/a": 1000 });
    expect(withHardNavigation({ "/a": 1000 }, "/a", 2000)).toBeUndefined();
  });

  it("lets another URL be loaded, and then neither of them again", () => {
    const both = withHardNavigation({ "/a": 1000 }, "/b", 2000);
    expect(both).toEqual({ "/a": 1000, "/b": 2000 });
    expect(withHardNavigation(both ?? {}, "/a", 3000)).toBeUndefined();
  });

  it("forgets a URL after 30 s, because then it is another failure", () => {
    expect(withHardNavigation({ "/a": 1000 }, "/a", 30_999)).toBeUndefined();
    expect(withHardNavigation({ "/a": 1000, "/b": 5000 }, "/a", 31_000)).toEqual({
      "/a": 31_000,
      "/b": 5000,
    });
  });
});
