import { basePath } from "@/lib/base/config/public";
import { app } from "@/reporting.config";
import { matcherOf } from "./pattern";

/** A place in the app, without base path and locale prefix: what the router is told. */
interface Place {
  /** URL path, query and hash */
  path: string;
  /** One of the app's; without i18n, empty. */
  locale: string;
}

/**
 * The URL under which Next serves the data of a page, as its own router asks for it. Every locale
 * has a prefix there, the default one too, unless there is only one.
 */
export function dataUrlOf(buildId: string, { path, locale }: Place): string {
  const [, pathname = "", search = ""] = /^([^?#]*)([^#]*)/.exec(path) ?? [];
  const prefix = app.locales.length > 0 ? `/${locale}` : "";
  const page = withoutTrailingSlash(prefix + pathname).replace(/^\/$/, "/index");
  return `${basePath}/_next/data/${buildId}${page}.json${search}`;
}

/**
 * The place a URL leads to.
 *
 * @returns nothing where the router is not the one to go there: outside the base path, an API route,
 *   or a path with an empty segment, which the server redirects
 */
export function placeOf({ pathname, search, hash }: URL): Place | undefined {
  if (basePath && pathname !== basePath && !pathname.startsWith(`${basePath}/`)) return undefined;
  const inside = pathname.slice(basePath.length) || "/";
  if (isApi(inside) || inside.includes("//")) return undefined;
  const [, first = "", rest] = /^\/([^/]*)(.*)/.exec(inside) ?? [];
  const named = app.locales.includes(first);
  return {
    path: (named ? rest || "/" : inside) + search + hash,
    locale: named ? first : (app.locales[0] ?? ""),
  };
}

/**
 * The pattern of the page that a URL leads to, such as `/dynamic/[id]`.
 *
 * @param sortedPages patterns, in the order in which Next tries them
 * @returns nothing where no page answers
 */
export function patternOf(url: URL, sortedPages: readonly string[]): string | undefined {
  const path = placeOf(url)?.path.replace(/[?#].*/, "");
  if (path === undefined) return undefined;
  return sortedPages.find((pattern) => matcherOf(pattern).test(path));
}

export function isApi(path: string): boolean {
  return /^\/api(?![^/?#])/.test(path);
}

/** Next answers `/de/` with a redirect to `/de`. */
export function withoutTrailingSlash(url: string): string {
  return url.replace(/^([^?#]+)\/(?=$|[?#])/, "$1");
}
