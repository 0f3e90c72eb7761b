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

test("a server loads one copy of Sentry's SDK", ({ variant }) => {
  // Next lists it in a whole build only: a standalone one has not the list.
  const server = `${variants[variant].folder}/.next/server`;
  const { files } = manifest(variant, "server/instrumentation.js.nft.json");
  const chunks = (files as string[]).filter((file) => /^chunks\/.*\.js$/.test(file));
  // An integration that only the SDK itself names.
  const copies = chunks.filter((file) =>
    readFileSync(`${server}/${file}`, "utf8").includes("NodeSystemError"),
  );
  expect(copies).toHaveLength(1);
});
