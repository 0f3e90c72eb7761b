import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PageEntry } from "../lib/routes/table.ts";

/** What is read of a file of Next's build. */
interface PrerenderManifest {
  routes: Record<string, { initialRevalidateSeconds: number | false; srcRoute: string | null }>;
  dynamicRoutes: Record<string, unknown>;
  notFoundRoutes: string[];
}

/**
 * Compares how each page is said to be rendered with what a build made of it.
 *
 * @param pages entries by pattern
 * @param locales that the build knows; none if URLs have no locale prefix
 * @param dist such as ".next"
 * @returns a sentence for each difference
 */
export function renderingFaults(
  pages: Record<string, PageEntry>,
  locales: readonly string[],
  dist: string,
): string[] {
  const prerendered: PrerenderManifest = readJson(dist, "prerender-manifest.json");
  const files: Record<string, string> = readJson(dist, "server/pages-manifest.json");
  const withoutLocale = (path: string) => {
    const locale = locales.find((name) => path === `/${name}` || path.startsWith(`/${name}/`));
    return locale ? path.slice(locale.length + 1) || "/" : path;
  };
  const built: Record<string, PageEntry["rendering"]> = {};
  for (const [path, file] of Object.entries(files)) {
    if (file.endsWith(".html")) built[withoutLocale(path)] = "static";
  }
  for (const [path, route] of Object.entries(prerendered.routes)) {
    const renewed = typeof route.initialRevalidateSeconds === "number";
    built[route.srcRoute ?? withoutLocale(path)] = renewed ? "incremental" : "static";
  }
  // Nothing of these was made ahead that would tell whether it is renewed.
  const untold = [...prerendered.notFoundRoutes.map(withoutLocale)].concat(
    Object.keys(prerendered.dynamicRoutes).filter((pattern) => !built[pattern]),
  );
  return Object.entries(pages)
    .filter(([pattern]) => !untold.includes(pattern))
    .map(([pattern, { rendering }]) => ({ pattern, rendering, found: built[pattern] ?? "server" }))
    .filter(({ rendering, found }) => rendering !== found)
    .map(
      ({ pattern, rendering, found }) =>
        `lib/routes/table.ts says that ${pattern} is rendered "${rendering}", but it was built "${found}": change the line, or the page's data function.`,
    );
}

function readJson(dist: string, name: string) {
  return JSON.parse(readFileSync(join(dist, name), "utf8"));
}
