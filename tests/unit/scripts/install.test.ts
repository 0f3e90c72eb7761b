import { expect, test } from "vitest";
import { installIsStale } from "@/scripts/install";

const wanted = {
  packages: {
    "": { version: "0.1.0" },
    "node_modules/next": { version: "16.4.5", integrity: "sha512-a" },
    "node_modules/@next/swc-linux": { version: "16.4.5", integrity: "sha512-b", optional: true },
  },
};

test("nothing installed is stale", () => {
  expect(installIsStale(wanted, undefined)).toBe(true);
});

test("the same packages are not stale, whatever the root package says of itself", () => {
  const { "": _, ...packages } = wanted.packages;
  expect(installIsStale(wanted, { packages })).toBe(false);
});

test("a missing package is stale, unless it is optional as those of other platforms are", () => {
  const { "node_modules/next": next, "node_modules/@next/swc-linux": swc } = wanted.packages;
  expect(installIsStale(wanted, { packages: { "node_modules/next": next } })).toBe(false);
  expect(installIsStale(wanted, { packages: { "node_modules/@next/swc-linux": swc } })).toBe(true);
});

test.each([
  ["another version", { version: "16.4.4", integrity: "sha512-a" }],
  ["other contents under the same version", { version: "16.4.5", integrity: "sha512-x" }],
])("%s is stale", (_, next) => {
  expect(installIsStale(wanted, { packages: { "node_modules/next": next } })).toBe(true);
});

test("a package that is no longer wanted is stale", () => {
  const packages = { ...wanted.packages, "node_modules/left": { version: "1.0.0" } };
  expect(installIsStale(wanted, { packages })).toBe(true);
});
