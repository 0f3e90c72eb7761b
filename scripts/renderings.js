import { readFileSync } from "node:fs";
import { join } from "node:path";

/** @typedef {import("../lib/routes/table.ts").PageEntry} PageEntry */

/**
 * Compares how each page is said to be rendered with what a build made of it.
 *
 * @param {Record<string, PageEntry>} pages entries by pattern
 * @param {readonly string[]} locales that the build knows; none if URLs have no locale prefix
 * @param {string} dist such as ".next"
 * @returns {string[]} a sentence for each difference
 */
export function renderingFaults(pages, locales, dist) {
  const prerendered = readJson(dist, "prerender-manifest.json");
  const files = readJson(dist, "server/pages-manifest.json");
  /** @param {string} path */
  const withoutLocale = (path) => {
    const locale = locales.find((name) => path === `/${name}` || path.startsWith(`/${name}/`));
    return locale ? path.slice(locale.length + 1) || "/" : path;
  };
  /** @type {Record<string, PageEntry["rendering"]>} */
  const built = {};
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

/**
 * @param {string} dist
 * @param {string} name
 */
function readJson(dist, name) {
  return JSON.parse(readFileSync(join(dist, name), "utf8"));
}
