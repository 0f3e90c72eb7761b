import { readFileSync } from "node:fs";
import { locales } from "@/lib/messages/locales.js";
import { variants } from "../../../../scripts/variants.js";
import { expect, test } from "../../../support/app";
import type { Variant } from "../../../support/server";

function manifest(variant: Variant, name: string) {
  return JSON.parse(readFileSync(`${variants[variant].folder}/.next/${name}`, "utf8"));
}

test("the build made /static once, and keeps it", ({ variant }) => {
  const { routes } = manifest(variant, "prerender-manifest.json");
  for (const locale of locales) {
    expect(routes[`/${locale}/static`]).toMatchObject({ initialRevalidateSeconds: false });
  }
});

test("the build made alpha and beta, revalidates them each minute, and makes others on demand", ({
  variant,
}) => {
  const { routes, dynamicRoutes } = manifest(variant, "prerender-manifest.json");
  for (const locale of locales) {
    for (const slug of ["alpha", "beta"]) {
      const made = routes[`/${locale}/incremental/${slug}`];
      expect(made).toMatchObject({ initialRevalidateSeconds: 60 });
    }
  }
  expect(dynamicRoutes["/incremental/[slug]"].fallback).toBe("/incremental/[slug].html");
});

test("pages without a data function are plain files", ({ variant }) => {
  const files = manifest(variant, "server/pages-manifest.json");
  const paths = ["/", "/optional/[[...path]]", "/failures", "/feedback"];
  for (const locale of locales) {
    for (const path of paths) {
      expect(files[`/${locale}${path === "/" ? "" : path}`], path).toMatch(/\.html$/);
    }
    for (const kind of ["render", "event", "promise"]) {
      expect(files[`/${locale}/failures/client-${kind}`]).toMatch(/\.html$/);
    }
  }
});

test("server-rendered pages are code, of which nothing was made ahead", ({ variant }) => {
  const files = manifest(variant, "server/pages-manifest.json");
  const { routes, dynamicRoutes } = manifest(variant, "prerender-manifest.json");
  const patterns = ["/server", "/dynamic/[id]", "/catch-all/[...path]", "/slow", "/moved"];
  const failing = ["/failures/server-data", "/failures/server-render"];
  for (const pattern of [...patterns, ...failing, "/missing", "/reports"]) {
    expect(files[pattern], pattern).toMatch(/\.js$/);
    expect(dynamicRoutes[pattern]).toBeUndefined();
    for (const locale of locales) expect(routes[`/${locale}${pattern}`]).toBeUndefined();
  }
});
