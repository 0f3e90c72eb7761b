import { locales } from "../messages/locales.js";
import { sourceOf } from "../routes/pattern.js";
import { pages } from "../routes/table.js";

/**
 * Headers on every answer. What may run in a page is said by the policy in the page itself (see
 * pages/_document.tsx); a `<meta>` can't forbid framing, so that is said here.
 */
export const everywhere = {
  "Content-Security-Policy": "frame-ancestors 'none'",
  "X-Frame-Options": "DENY",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "strict-origin-when-cross-origin",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), browsing-topics=()",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
};

/**
 * Page data that is the same for everybody: of the pages that have `getStaticProps`. The router
 * itself would keep it for as long as the tab is open; told not to, it leaves that to the browser's
 * HTTP cache, which can tell the time: 30 s fresh, up to 5 min shown while one request renews it.
 * Data of server-rendered pages must not come under this: Next forbids storing it.
 */
const sharedData = {
  "x-middleware-cache": "no-cache",
  "Cache-Control": "private, max-age=30, stale-while-revalidate=270",
};

/** Where that data is, for every build and locale. A page without `getStaticProps` has none there. */
const sharedDataSources = Object.entries(pages)
  .filter(([, { rendering }]) => rendering !== "server")
  .map(([pattern]) => `/_next/data/:build/:locale(${locales.join("|")})${sourceOf(pattern)}.json`);

/** @param {Record<string, string>} headers */
function pairs(headers) {
  return Object.entries(headers).map(([key, value]) => ({ key, value }));
}

/**
 * Header rules for next.config.js.
 *
 * @param {boolean} [development] Next's development server gives one of its scripts the type of
 *   JSON, which a browser that is told not to guess refuses
 */
export async function headerRules(development = false) {
  const { "X-Content-Type-Options": noGuessing, ...others } = everywhere;
  return [
    {
      source: "/:path*",
      locale: /** @type {const} */ (false),
      headers: pairs(development ? others : { ...others, "X-Content-Type-Options": noGuessing }),
    },
    ...sharedDataSources.map((source) => ({
      source,
      locale: /** @type {const} */ (false),
      headers: pairs(sharedData),
    })),
  ];
}
