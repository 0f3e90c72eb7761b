import { expect, test } from "vitest";
import {
  type ErrorIdentity,
  fingerprintOf,
  groupId,
  isGroupId,
  sourcePlace,
  withoutVariableParts,
} from "@/packages/inbox/src/model/group-id";
import type { ResolvedFrame } from "@/packages/relay/src/source-maps/frames";

test.each([
  ["Order 17 not found", "Order 4 not found"],
  ["took 1,204.5 ms", "took 3 ms"],
  ["at 2026-11-22T01:02:03.000Z", "at 2025-01-01T10:20:30.123Z"],
  ["no user 7f0c9f9e-6d0b-4a4e-8a3c-0d8a3f1b2c3d", "no user AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE"],
  ["commit deadbeefdeadbeefdeadbeef", "commit 0123456789abcdef01234567"],
  ["pointer 0x7fff5fbff8c0", "pointer 0x0"],
  ['unknown key "a b" in `map`', 'unknown key "c" in `set`'],
  ["reading 'first'", "reading 'second'"],
  ["GET https://a.example/x?y=(z) failed", "GET http://b.example:8080/ failed"],
])("%s is alike %s", (one, other) => {
  expect(withoutVariableParts(one)).toBe(withoutVariableParts(other));
});

test.each([
  ["a is not a function", "b is not a function"],
  ["can't read, won't write", "can't open, won't write"],
  ["x1.load is undefined", "x2.save is undefined"],
  ["", "broken"],
])("%s is another than %s", (one, other) => {
  expect(withoutVariableParts(one)).not.toBe(withoutVariableParts(other));
});

test("a long message takes no long time", () => {
  for (const part of ["a-", "'", '"', "a:", "1.", "a://"]) {
    const begin = performance.now();
    withoutVariableParts(part.repeat(500 / part.length));
    expect(performance.now() - begin).toBeLessThan(500);
  }
});

const identity: ErrorIdentity = {
  origin: "server",
  type: "E",
  message: "m",
  fingerprint: undefined,
};

function idOf(fingerprint: unknown, over: Partial<ErrorIdentity> = {}, place = "p"): string {
  return groupId({ ...identity, ...over, fingerprint: fingerprintOf({ fingerprint }) }, place);
}

test("a fingerprint takes the place of all else, but for its default part", () => {
  expect(idOf(["a", 1])).toBe(idOf(["a", "1"], { type: "F", message: "n" }, "q"));
  expect(idOf(["a"])).not.toBe(idOf(["b"]));
  expect(idOf(["a", "{{ default }}"])).toBe(idOf(["a", "{{default}}"]));
  for (const fingerprint of [["{{ default }}"], [], undefined, "text", {}]) {
    expect(idOf(fingerprint)).toBe(idOf(undefined));
  }
  for (const over of [{ type: "F" }, { message: "n" }]) {
    expect(idOf(["a", "{{ default }}"])).not.toBe(idOf(["a", "{{ default }}"], over));
  }
});

test("no fingerprint makes the id of an error without one, and none of a browser's errors has a server's", () => {
  // As released: what was decided about the server's errors holds.
  expect(idOf(undefined)).toBe("da5745f01c0333bc");
  expect(idOf(["E", "m", "p"])).not.toBe(idOf(undefined));
  const ofBrowser = idOf(undefined, { origin: "browser" });
  expect(ofBrowser).toBe(`b${idOf(undefined)}`);
  expect([idOf(undefined), ofBrowser, "b", `${ofBrowser}0`].map(isGroupId)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

function frame(file: string, name: string, { line = 1, own = true } = {}): ResolvedFrame {
  return { resolved: true, file, line, column: 1, function: name, own, code: undefined };
}

const unknown: ResolvedFrame = { resolved: false, late: false };

test("a place is made of the app's own functions, not of lines, libraries or depth", () => {
  const place = sourcePlace([frame("a.ts", "outer"), frame("b.ts", "inner")]);
  expect(place).toMatch(/^[\da-f]{16}$/);
  expect(
    sourcePlace([
      unknown,
      frame("node_modules/react.js", "call", { own: false }),
      frame("a.ts", "outer", { line: 9 }),
      frame("b.ts", "inner", { line: 7 }),
      frame("b.ts", "inner", { line: 8 }),
      frame("node_modules/zod.js", "parse", { own: false }),
    ]),
  ).toBe(place);
  for (const other of [
    [frame("a.ts", "outer"), frame("b.ts", "other")],
    [frame("a.ts", "outer"), frame("c.ts", "inner")],
    [frame("b.ts", "inner"), frame("a.ts", "outer")],
    [frame("b.ts", "inner")],
  ]) {
    expect(sourcePlace(other)).not.toBe(place);
  }
});

test("without own functions, the library's that threw is the place; without any source there is none", () => {
  const thrower = frame("node_modules/zod.js", "parse", { own: false });
  expect(sourcePlace([frame("node_modules/react.js", "call", { own: false }), thrower])).toBe(
    sourcePlace([thrower]),
  );
  expect(sourcePlace([unknown])).toBeUndefined();
});
