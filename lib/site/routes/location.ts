import { basePath } from "@/lib/base/config/public";
import { isApi, withoutTrailingSlash } from "@/lib/base/routes/location";
import { defaultLocale, isLocale, type Locale } from "@/lib/site/messages/locales";

/**
 * The URL that leads to a place, for an `href`. API routes have no language, so no prefix either.
 *
 * @param path URL path, beginning with a slash; query and hash may follow
 */
export function urlOf({ path, locale }: { path: string; locale: Locale }): string {
  return withoutTrailingSlash(basePath + localized(path, locale));
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
