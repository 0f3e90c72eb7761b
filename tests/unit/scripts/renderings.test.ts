import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { renderingFaults } from "@/scripts/renderings";

/** A build with a page of each kind, as Next notes it, under a prefix for its one locale. */
function build(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), "signpost-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "server"));
  const prerendered = {
    routes: {
      [`${prefix}/made`]: { srcRoute: null, initialRevalidateSeconds: false },
      [`${prefix}/renewed/a`]: { srcRoute: "/renewed/[slug]", initialRevalidateSeconds: 60 },
    },
    dynamicRoutes: { "/renewed/[slug]": {}, "/on-demand/[slug]": {} },
    notFoundRoutes: [`${prefix}/absent`],
  };
  const files = {
    [prefix || "/"]: "pages/index.html",
    "/made": "pages/made.js",
    "/renewed/[slug]": "pages/renewed/[slug].js",
    "/on-demand/[slug]": "pages/on-demand/[slug].js",
    "/absent": "pages/absent.js",
    "/server": "pages/server.js",
  };
  writeFileSync(join(folder, "prerender-manifest.json"), JSON.stringify(prerendered));
  writeFileSync(join(folder, "server/pages-manifest.json"), JSON.stringify(files));
  return folder;
}

const pages = {
  "/": { rendering: "static" },
  "/made": { rendering: "static" },
  "/renewed/[slug]": { rendering: "incremental" },
  "/on-demand/[slug]": { rendering: "incremental" },
  "/absent": { rendering: "static" },
  "/server": { rendering: "server" },
} as const;

test.each([
  ["with a locale prefix", "/en", ["en"]],
  ["without", "", []],
])("a table that tells the truth has no faults (%s)", (_name, prefix, locales) => {
  expect(renderingFaults(pages, locales, build(prefix))).toEqual([]);
});

test.each([
  ["/", "server", "static"],
  ["/made", "incremental", "static"],
  ["/renewed/[slug]", "static", "incremental"],
  ["/server", "static", "server"],
] as const)("%s is no %s page: it was built %s", (pattern, said, built) => {
  const wrong = { ...pages, [pattern]: { rendering: said } };
  expect(renderingFaults(wrong, ["en"], build("/en"))).toEqual([
    `lib/routes/table.ts says that ${pattern} is rendered "${said}", but it was built "${built}": change the line, or the page's data function.`,
  ]);
});
