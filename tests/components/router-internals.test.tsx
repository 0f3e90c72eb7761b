import { expect, test } from "vitest";
import { isLostChunk, isRouterFailure } from "@/lib/site/navigation/router-internals";

test("a lost chunk is known by its words, whatever else is thrown", () => {
  expect(isLostChunk(new Error("Failed to load chunk a.js from module 1"))).toBe(true);
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error("unreadable");
      },
    },
  );
  for (const other of [new Error("x"), undefined, null, "x", { message: Symbol("x") }, hostile]) {
    expect(isLostChunk(other)).toBe(false);
  }
});

test("the router's own failures are known by its words and its symbol, and no error of the app's is one", () => {
  const marked = (description: string) =>
    Object.assign(new Error("x"), { [Symbol(description)]: {} });
  for (const own of [
    marked("ASSET_LOAD_ERROR"),
    new Error("Invariant: attempted to hard navigate to the same URL /a http://localhost/a"),
    new Error("failed to decode param"),
  ])
    expect(isRouterFailure(own)).toBe(true);
  for (const other of [
    marked("kind"),
    // As the package tiny-invariant words them.
    new Error("Invariant failed"),
    new Error("Invariant failed: no user"),
    new Error("failed to decode the token"),
    "x",
  ])
    expect(isRouterFailure(other)).toBe(false);
});
