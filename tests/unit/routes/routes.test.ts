import { describe, expect, test, vi } from "vitest";
import { matchRoute } from "@/lib/routes/routes";

vi.mock("@/lib/routes/table", () => import("@/tests/fixtures/table"));

describe("matchRoute", () => {
  test.each([
    ["/", "/"],
    ["/static", "/static"],
    ["/dynamic/a-1", "/dynamic/[id]"],
    ["/catch-all/one/two", "/catch-all/[...path]"],
    ["/optional", "/optional/[[...path]]"],
    ["/optional/one/two", "/optional/[[...path]]"],
    ["/failures/client-event", "/failures/client-event"],
  ])("finds what answers %s", (path, pattern) => {
    expect(matchRoute(path)).toBe(pattern);
  });

  test.each(["/nope", "/dynamic", "/dynamic/a/b", "/catch-all", "/optionally", "/static/x"])(
    "finds nothing for %s",
    (path) => {
      expect(matchRoute(path)).toBeUndefined();
    },
  );
});
