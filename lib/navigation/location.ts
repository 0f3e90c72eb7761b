import {
  defaultLocale,
  hasLocalePrefixes,
  isLocale,
  type Locale,
  locales,
  toLocale,
} from "@/lib/messages/locales";

/*
 * The build's settings, for code of the browser and the server: next.config.js writes their values in
 * place of these names.
 */
export const basePath = process.env.NEXT_PUBLIC_BASE_PATH ?? "";
export const tunnelPath = `${basePath}/api/${process.env.NEXT_PUBLIC_TUNNEL ?? "relay"}`;
/** Where visitors find the app, for search engines; nothing where the build was not told. */
export const siteOrigin = process.env.SITE_ORIGIN || undefined;

/**
 * The URL that leads to a place, for an `href`. API routes have no language, so no prefix either.
 *
 * @param path URL path, beginning with a slash; query and hash may follow
 * @param locale such as that of Next's router
 */
export function urlOf({ path, locale }: { path: string; locale: string | undefined }): string {
  return withoutTrailingSlash(basePath + localized(path, locale));
}

/** The addresses of a page for search engines, which want whole URLs. */
export interface Addresses {
  canonical: string;
  /** The same page by language; `x-default` is for all others. */
  alternates: Record<string, string>;
}

/**
 * The addresses of a page for search engines. The query is not part of them.
 *
 * @param origin where visitors find the app
 * @param path URL path, beginning with a slash; query and hash may follow
 */
export function addressesOf(origin: string, path: string, locale: Locale): Addresses {
  const addressIn = (language: Locale) =>
    origin + urlOf({ path: path.replace(/[?#].*/s, ""), locale: language });
  const languages = locales.map((language) => [language, addressIn(language)]);
  return {
    canonical: addressIn(locale),
    alternates: hasLocalePrefixes
      ? { ...Object.fromEntries(languages), "x-default": addressIn(defaultLocale) }
      : {},
  };
}

/**
 * The path of a place with its locale prefix but without base path: what Next expects as the
 * `destination` of a redirect.
 *
 * @param path URL path, beginning with a slash; query and hash may follow
 * @param locale as Next gives it to a data function; the default one where there is none
 */
export function localized(path: string, locale: string | undefined): string {
  const unprefixed = !isLocale(locale) || locale === defaultLocale || isApi(path);
  return withoutTrailingSlash(unprefixed ? path : `/${locale}${path}`);
}

/** The language of a request's path, which has base path and locale prefix. */
export function localeOf(pathname: string): Locale {
  const [, first] = pathname.slice(basePath.length).split("/");
  return toLocale(first);
}

function isApi(path: string): boolean {
  return /^\/api(?![^/?#])/.test(path);
}

/** Next answers `/de/` with a redirect to `/de`. */
function withoutTrailingSlash(url: string): string {
  return url.replace(/^([^?#]+)\/(?=$|[?#])/, "$1");
}
