import { matcherOf } from "./pattern.ts";

/** What the reporting knows of the app that it reports for: Next's own manifests say it. */
export interface App {
  /** Empty, or beginning with a slash. */
  basePath: string;
  /** Of Next's `i18n`, the default one first; none without it. */
  locales: readonly string[];
  /** Of all pages, as Next names them and in the order in which it asks them. */
  patterns: readonly string[];
}

/** A place in the app, without base path and locale prefix: what the router is told. */
interface Place {
  /** URL path */
  path: string;
  /** One of the app's; without i18n, empty. */
  locale: string;
}

/**
 * The URL path under which Next serves the data of a page, as its own router asks for it. Every locale
 * has a prefix there, the default one too, unless there is only one.
 */
export function dataUrlOf(
  { basePath, locales }: Omit<App, "patterns">,
  buildId: string,
  { path, locale }: Place,
): string {
  const prefix = locales.length > 0 ? `/${locale}` : "";
  // Next answers `/de/` with a redirect to `/de`.
  const page = (prefix + path).replace(/(.)\/$/, "$1").replace(/^\/$/, "/index");
  return `${basePath}/_next/data/${buildId}${page}.json`;
}

/**
 * The place a URL leads to.
 *
 * @returns nothing where the router is not the one to go there: outside the base path, an API route,
 *   or a path with an empty segment, which the server redirects
 */
export function placeOf(
  { basePath, locales }: Omit<App, "patterns">,
  { pathname }: URL,
): Place | undefined {
  if (!`${pathname}/`.startsWith(`${basePath}/`)) return undefined;
  const inside = pathname.slice(basePath.length) || "/";
  if (/^\/api(\/|$)|\/\//.test(inside)) return undefined;
  const [, first = "", rest] = /^\/([^/]*)(.*)/.exec(inside) ?? [];
  const named = locales.includes(first);
  return {
    path: named ? rest || "/" : inside,
    locale: named ? first : (locales[0] ?? ""),
  };
}

/**
 * The pattern of the page that a URL leads to, such as `/dynamic/[id]`.
 *
 * @param app its `patterns` in the order in which Next tries them
 * @returns nothing where no page answers
 */
export function patternOf(app: App, url: URL): string | undefined {
  const place = placeOf(app, url);
  return place && app.patterns.find((pattern) => matcherOf(pattern).test(place.path));
}
