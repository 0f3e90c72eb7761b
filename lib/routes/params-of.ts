/** What the open parts of a pattern stand for: text for one segment, a list for a catch-all. */
export type RouteParams = Record<string, string | string[]>;

/**
 * Reads the parameters of a route from a path. Unlike `router.query` it knows nothing of the query
 * string, whose keys there stand beside the parameters and can pass for them.
 *
 * @param pattern as Next names it, `/dynamic/[id]`
 * @param path URL path and query, percent-encoded, that matches the pattern
 */
export function paramsOf(pattern: string, path: string): RouteParams {
  const segments = (path.split("?")[0] ?? "").split("/").map(decodeURIComponent);
  const params: RouteParams = {};
  pattern.split("/").forEach((part, index) => {
    const [, rest, name] = /^\[+(\.{3})?(\w+)\]+$/.exec(part) ?? [];
    if (!name) return;
    const one = segments[index];
    if (rest) {
      if (one !== undefined) params[name] = segments.slice(index);
    } else params[name] = one ?? "";
  });
  return params;
}
