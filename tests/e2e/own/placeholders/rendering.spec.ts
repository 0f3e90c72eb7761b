import { readFileSync } from "node:fs";
import { hasLocalePrefixes, locales } from "@/lib/messages/locales";
import { pages } from "@/lib/routes/table";
import { variants } from "../../../../scripts/variants.ts";
import { expect, test } from "../../../support/app";
import type { Variant } from "../../../support/server";

/** What stands before a page's path in what a build notes, once for each language. */
const prefixes = hasLocalePrefixes ? locales.map((locale) => `/${locale}`) : [""];

/** The pages that the table says are rendered so. */
function patterns(rendering: string): string[] {
  const entries: [string, { rendering: string }][] = Object.entries(pages);
  return entries.filter(([, page]) => page.rendering === rendering).map(([pattern]) => pattern);
}

function manifest(variant: Variant, name: string) {
  return JSON.parse(readFileSync(`${variants[variant].folder}/.next/${name}`, "utf8"));
}

test("the build made /static once, and keeps it", ({ variant }) => {
  const { routes } = manifest(variant, "prerender-manifest.json");
  for (const prefix of prefixes) {
    expect(routes[`${prefix}/static`]).toMatchObject({ initialRevalidateSeconds: false });
  }
});

test("the build made alpha and beta, revalidates them each minute, and makes others on demand", ({
  variant,
}) => {
  const { routes, dynamicRoutes } = manifest(variant, "prerender-manifest.json");
  for (const prefix of prefixes) {
    for (const slug of ["alpha", "beta"]) {
      const made = routes[`${prefix}/incremental/${slug}`];
      expect(made).toMatchObject({ initialRevalidateSeconds: 60 });
    }
  }
  expect(dynamicRoutes["/incremental/[slug]"].fallback).toBe("/incremental/[slug].html");
});

test("pages without a data function are plain files", ({ variant }) => {
  const files = manifest(variant, "server/pages-manifest.json");
  for (const prefix of prefixes) {
    for (const path of patterns("static").filter((each) => each !== "/static")) {
      expect(files[`${prefix}${path}`.replace(/(?<=.)\/$/, "")], path).toMatch(/\.html$/);
    }
  }
});

test("server-rendered pages are code, of which nothing was made ahead", ({ variant }) => {
  const files = manifest(variant, "server/pages-manifest.json");
  const { routes, dynamicRoutes } = manifest(variant, "prerender-manifest.json");
  for (const pattern of patterns("server")) {
    expect(files[pattern], pattern).toMatch(/\.js$/);
    expect(dynamicRoutes[pattern]).toBeUndefined();
    for (const prefix of prefixes) expect(routes[`${prefix}${pattern}`]).toBeUndefined();
  }
});
