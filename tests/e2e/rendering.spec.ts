import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "../support/app";
import { locales } from "../support/routes";
import type { Variant } from "../support/server";
import { variants } from "../support/variants.ts";

function manifest(variant: Variant, name: string) {
  return JSON.parse(readFileSync(`${variants[variant].folder}/.next/${name}`, "utf8"));
}

test("the build made /static once, and keeps it", { tag: "@shell" }, ({ variant }) => {
  const { routes } = manifest(variant, "prerender-manifest.json");
  for (const locale of locales) {
    expect(routes[`/${locale}/static`]).toMatchObject({ initialRevalidateSeconds: false });
  }
});

test("the build made alpha and beta, revalidates them each minute, and makes others on demand", {
  tag: "@shell",
}, ({ variant }) => {
  const { routes, dynamicRoutes } = manifest(variant, "prerender-manifest.json");
  for (const locale of locales) {
    for (const slug of ["alpha", "beta"]) {
      const made = routes[`/${locale}/incremental/${slug}`];
      expect(made).toMatchObject({ initialRevalidateSeconds: 60 });
    }
  }
  expect(dynamicRoutes["/incremental/[slug]"].fallback).toBe("/incremental/[slug].html");
});

test("pages without a data function are plain files", { tag: "@shell" }, ({ variant }) => {
  const files = manifest(variant, "server/pages-manifest.json");
  const paths = ["/", "/optional/[[...path]]", "/failures"];
  for (const locale of locales) {
    for (const path of paths) {
      expect(files[`/${locale}${path === "/" ? "" : path}`], path).toMatch(/\.html$/);
    }
  }
});

test("server-rendered pages are code, of which nothing was made ahead", { tag: "@shell" }, ({
  variant,
}) => {
  const files = manifest(variant, "server/pages-manifest.json");
  const { routes, dynamicRoutes } = manifest(variant, "prerender-manifest.json");
  const patterns = ["/server", "/dynamic/[id]", "/catch-all/[...path]", "/slow", "/moved"];
  const failing = ["/failures/server-data", "/failures/server-render"];
  for (const pattern of [...patterns, ...failing, "/missing"]) {
    expect(files[pattern], pattern).toMatch(/\.js$/);
    expect(dynamicRoutes[pattern]).toBeUndefined();
    for (const locale of locales) expect(routes[`/${locale}${pattern}`]).toBeUndefined();
  }
});

test("there are no server components and no middleware", { tag: "@shell" }, ({ variant }) => {
  const { middleware } = manifest(variant, "server/middleware-manifest.json");
  expect(middleware).toEqual({});
  expect(existsSync(`${variants[variant].folder}/.next/server/app`)).toBe(false);
  expect(existsSync("app")).toBe(false);
});

test("the build knows its base path and locales", { tag: "@shell" }, ({ variant }) => {
  const { basePath, i18n, rewrites } = manifest(variant, "routes-manifest.json");
  expect(basePath).toBe(variants[variant].env.NEXT_PUBLIC_BASE_PATH);
  expect(i18n).toMatchObject({ locales: [...locales], defaultLocale: "en" });
  expect(
    [rewrites]
      .flat()
      .flatMap((each) => Object.values(each))
      .flat(),
  ).toEqual([]);
});
