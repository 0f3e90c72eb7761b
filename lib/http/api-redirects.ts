/**
 * Redirect rules for next.config.js: an API address with a locale prefix leads to the API. Without
 * them, Next answers it with the page for unknown addresses.
 *
 * @param locales all but the default one: Next adds that prefix itself to each address that has
 *   none, before it looks at these rules
 */
export async function apiRedirects(locales: string[]) {
  if (locales.length === 0) return [];
  return [
    {
      source: `/:locale(${locales.join("|")})/api/:path*`,
      locale: false as const,
      destination: "/api/:path*",
      permanent: false,
    },
  ];
}
