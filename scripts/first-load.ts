import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { type ExpectedOfPage, expected } from "../tests/pages.ts";

/**
 * What the scripts of a page's first load may weigh together, in bytes, each gzipped: 3.5 kB more than
 * a bare page of Next, which has 113,469. Most pages have about as much as that, the error page is the
 * heaviest. One of yours may need more: then tests/pages.ts gives it a `budget`. What pages/_app.tsx
 * imports is part of every page: what it needs goes in here.
 */
export const firstLoadBudget = 116_969;

/** What the first rewrite in next.config.js adds to every page: the router's code for them. */
export const rewritesPrice = 6_400;

/** What a page may have more that calls Sentry's functions: they are some 4 to 5 kB. */
const functionsPrice = 5_000;

/** What is read of a file of Next's build. */
interface Manifest {
  pages: Record<string, string[]>;
  lowPriorityFiles: string[];
}

/**
 * The first load of each page of a build, against its budget.
 *
 * @param expected of those that have a budget of their own
 * @param dist folder of the build
 * @returns lines to print: one for each page, heaviest first, then a sentence for each that is over
 */
export function firstLoadReport(expected: Record<string, ExpectedOfPage>, dist: string): string[] {
  const manifest: Manifest = JSON.parse(readFileSync(join(dist, "build-manifest.json"), "utf8"));
  const sizes = new Map<string, number>();
  const sizeOf = (file: string) => {
    const size = sizes.get(file) ?? gzipSync(readFileSync(join(dist, file))).length;
    sizes.set(file, size);
    return size;
  };
  const isScript = (file: string) => file.endsWith(".js");
  const shared = [...(manifest.pages["/_app"] ?? []), ...manifest.lowPriorityFiles].filter(
    isScript,
  );
  const price = hasRewrites(dist) ? rewritesPrice : 0;
  const usualBudget = firstLoadBudget + price;
  // The name of the global that Sentry's scopes keep their state in.
  const hasFunctions = (file: string) => readFileSync(join(dist, file)).includes("__SENTRY__");
  const rows = pagesOf(manifest)
    .map((route) => {
      const parts = (manifest.pages[route] ?? [])
        .filter(isScript)
        .filter((file) => !shared.includes(file));
      const functions = parts.some(hasFunctions) ? functionsPrice : 0;
      const budget = (expected[route]?.budget ?? firstLoadBudget + functions) + price;
      const files = [...new Set([...shared, ...parts])];
      const bytes = files.reduce((sum, file) => sum + sizeOf(file), 0);
      const [heaviest = ""] = parts.sort((a, b) => sizeOf(b) - sizeOf(a));
      return { route, budget, bytes, heaviest };
    })
    .sort((a, b) => b.bytes - a.bytes);
  const line = (...[route, first, allowed, part]: [string, string, string, string]) =>
    `${route.padEnd(32)} ${first.padStart(10)} ${allowed.padStart(10)}  ${part}`.trimEnd();
  const usual = rows.filter(({ budget }) => budget === usualBudget);
  const most = Math.max(...usual.map(({ bytes }) => bytes));
  // A sentence for each page would hide that it is one fault.
  const heavyApp =
    usual.length > 1 &&
    usual.every(({ bytes }) => bytes > usualBudget) &&
    `The first load of every page is over its budget of ${usualBudget} bytes, the heaviest has ${most}: what pages/_app.tsx imports is part of each. Load it later, or raise firstLoadBudget in scripts/first-load.ts to ${most - price}.`;
  return [
    line("Page", "first load", "budget", "its heaviest own script"),
    ...rows.map(({ route, bytes, budget, heaviest }) =>
      line(route, kB(bytes), kB(budget), heaviest && `${kB(sizeOf(heaviest))} ${heaviest}`),
    ),
    ...(price
      ? [
          `With the rewrites of next.config.js, each page may have ${kB(price)} more: the router needs that much code for them.`,
        ]
      : []),
    ...(heavyApp ? [heavyApp] : []),
    ...rows
      .filter((row) => row.bytes > row.budget && !(heavyApp && row.budget === usualBudget))
      .map(
        ({ route, bytes, budget }) =>
          `The first load of ${route} has ${bytes} bytes, ${bytes - budget} over its budget of ${budget}: load later what is not wanted at once, with import() or next/dynamic, or give it "budget: ${bytes - price}" in tests/pages.ts.`,
      ),
  ];
}

/** @returns the patterns of the pages, without Next's own files */
export function pagesOf({ pages }: Pick<Manifest, "pages">): string[] {
  return Object.keys(pages).filter((route) => !/^\/(_app|_error|404|500)$/.test(route));
}

function hasRewrites(dist: string): boolean {
  const file = join(dist, "routes-manifest.json");
  if (!existsSync(file)) return false;
  const { rewrites = {} } = JSON.parse(readFileSync(file, "utf8"));
  return Object.values(rewrites).flat().length > 0;
}

function kB(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

/** Prints it of the build in `.next`. */
function report() {
  const lines = firstLoadReport(expected, ".next");
  for (const line of lines) console.log(line);
  if (lines.some((line) => line.includes(" over its budget"))) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) report();
