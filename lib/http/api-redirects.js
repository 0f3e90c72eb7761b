/**
 * Redirect rules for next.config.js. An API has no language; without these, Next answers its
 * address under a locale prefix with the page for pages that don't exist.
 *
 * @param {string[]} locales without the default one: Next puts that in front of what has none before
 *   it looks at these rules
 */
export async function apiRedirects(locales) {
  return [
    {
      source: `/:locale(${locales.join("|")})/api/:path*`,
      locale: /** @type {const} */ (false),
      destination: "/api/:path*",
      permanent: false,
    },
  ];
}
