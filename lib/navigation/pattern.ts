/*
 * Reads route patterns as Next names them: `/dynamic/[id]`, `/catch-all/[...path]`, `/optional/[[...path]]`.
 * Source: https://nextjs.org/docs/pages/building-your-application/routing/dynamic-routes
 */

/** Decoded: text for one segment, a list for a catch-all. */
type RouteParams = Record<string, string | string[]>;

/** The dots of a catch-all, and the name. */
const dynamicSegment = /^\[+(\.{3})?([^[\]]+)\]+$/;

/** @returns whether the route has parameters */
export function isDynamic(pattern: string): boolean {
  return pattern.includes("[");
}

/**
 * Cuts a pattern where a dynamic segment begins or ends, to show these differently.
 *
 * @param pattern or any other name of a route
 */
export function partsOf(pattern: string): { text: string; dynamic: boolean }[] {
  return pattern
    .split(/(\[.*?\]+)/)
    .filter(Boolean)
    .map((text) => ({ text, dynamic: text.startsWith("[") }));
}

/**
 * Reads the parameters of a route from a path. `router.query` can't tell them from keys of the query
 * string with the same names.
 *
 * @param path path and query, percent-encoded, that match the pattern
 * @throws {URIError} where the path is not percent-encoding
 */
export function paramsOf(pattern: string, path: string): RouteParams {
  const [pathname = ""] = path.split("?");
  const values = segmentsOf(pathname).map(decodeURIComponent);
  const params: RouteParams = {};
  segmentsOf(pattern).forEach((segment, index) => {
    const [, rest, name] = dynamicSegment.exec(segment) ?? [];
    if (!name) return;
    if (!rest) params[name] = values[index] ?? "";
    else if (index < values.length) params[name] = values.slice(index);
  });
  return params;
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter(Boolean);
}
