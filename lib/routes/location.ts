import { basePath } from "@/lib/config/public";
import { defaultLocale, isLocale, type Locale } from "@/lib/messages/locales.js";

/** A place in the app, without base path and locale prefix: what the router is told. */
export interface Place {
  /** URL path, query and hash */
  path: string;
  locale: Locale;
}

/**
 * The URL that leads to a place, for an `href`. API routes have no language, so no prefix either.
 *
 * @param path URL path, beginning with a slash; query and hash may follow
 */
export function urlOf({ path, locale }: Place): string {
  const prefix = locale === defaultLocale || isApi(path) ? "" : `/${locale}`;
  // Next answers `/de/` with a redirect to `/de`.
  return `${basePath}${prefix}${path}`.replace(/(.)\/(?=$|[?#])/, "$1");
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
  const [, first, rest] = /^\/([^/]*)(.*)/.exec(inside) ?? [];
  const named = isLocale(first);
  return {
    path: (named ? rest || "/" : inside) + search + hash,
    locale: named ? first : defaultLocale,
  };
}

function isApi(path: string): boolean {
  return /^\/api(?![^/?#])/.test(path);
}
