/**
 * The only code that reads route patterns as Next names them: `/dynamic/[id]`,
 * `/catch-all/[...path]`, `/optional/[[...path]]`.
 * Source: https://nextjs.org/docs/pages/building-your-application/routing/dynamic-routes
 */
interface Segment {
  kind: "static" | "param" | "catch-all" | "optional-catch-all";
  /** The parameter's name, or the text of a static segment. */
  name: string;
  /** As it stands in the pattern. */
  text: string;
}

/** Decoded: text for one segment, a list for a catch-all. */
type RouteParams = Record<string, string | string[]>;

/** @returns none for `/` */
export function parsePattern(pattern: string): Segment[] {
  return pattern
    .split("/")
    .filter(Boolean)
    .map((text) => {
      const [, optional, rest, name] = /^\[(\[)?(\.{3})?([^[\]]+)\]+$/.exec(text) ?? [];
      if (name === undefined) return { kind: "static", name: text, text };
      if (!rest) return { kind: "param", name, text };
      return { kind: optional ? "optional-catch-all" : "catch-all", name, text };
    });
}

/** @returns whether the route has parameters */
export function isDynamic(pattern: string): boolean {
  return parsePattern(pattern).some(({ kind }) => kind !== "static");
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
 * Puts parameters into a pattern.
 *
 * @returns the path, each segment percent-encoded
 */
export function fillPattern(
  pattern: string,
  params: Record<string, string | readonly string[] | undefined>,
): string {
  const path = parsePattern(pattern)
    .flatMap(({ kind, name }) => (kind === "static" ? name : (params[name] ?? [])))
    .map((segment) => `/${encodeURIComponent(segment)}`)
    .join("");
  return path || "/";
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
  const values = pathname.split("/").slice(1).map(decodeURIComponent);
  const params: RouteParams = {};
  parsePattern(pattern).forEach(({ kind, name }, index) => {
    if (kind === "param") params[name] = values[index] ?? "";
    else if (kind !== "static" && index < values.length) params[name] = values.slice(index);
  });
  return params;
}
