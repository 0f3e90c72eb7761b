import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "../support/app";
import { locales } from "../support/routes";
import type { Variant } from "../support/server";
import { variants } from "../support/variants.ts";

function manifest(variant: Variant, name: string) {
  return JSON.parse(readFileSync(`${variants[variant].folder}/.next/${name}`, "utf8"));
}

test("pages without a data function are plain files", { tag: "@shell" }, ({ variant }) => {
  const files = manifest(variant, "server/pages-manifest.json");
  const paths = ["/", "/optional/[[...path]]", "/failures"];
  for (const locale of locales) {
    for (const path of paths) {
      expect(files[`/${locale}${path === "/" ? "" : path}`], path).toMatch(/\.html$/);
    }
  }
});

test("there are no server components and no middleware", { tag: "@shell" }, ({ variant }) => {
  const { middleware } = manifest(variant, "server/middleware-manifest.json");
  expect(middleware).toEqual({});
  expect(existsSync(`${variants[variant].folder}/.next/server/app`)).toBe(false);
  expect(existsSync("app")).toBe(false);
});
