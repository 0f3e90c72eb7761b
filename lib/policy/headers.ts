import { documentPolicy } from "./policy.ts";

/**
 * Headers of every response. The page's own policy says what may run in it (pages/_document.tsx);
 * a `<meta>` can't forbid framing, so that stands here.
 */
export const headersOfEveryResponse = {
  "Content-Security-Policy": "frame-ancestors 'none'",
  "X-Frame-Options": "DENY",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "strict-origin-when-cross-origin",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), browsing-topics=()",
  "Cross-Origin-Opener-Policy": "same-origin",
  // Without includeSubDomains: the other hosts of the domain may be somebody else's to decide on.
  "Strict-Transport-Security": "max-age=63072000",
};

/**
 * Headers of page data that is the same for everybody: of the pages that have `getStaticProps`. By
 * default the router keeps it for as long as the tab is open. `x-middleware-cache: no-cache` stops
 * that, and the browser's HTTP cache decides instead: fresh for 30 s, then stale until it is 5 min
 * old, which means that it is shown while one request renews it. Data of server-rendered pages must
 * get none of this: Next forbids storing it.
 */
export const headersOfSharedData = {
  "x-middleware-cache": "no-cache",
  "Cache-Control": "private, max-age=30, stale-while-revalidate=270",
};

/**
 * Headers of page data that is not there, or a draft. The router would keep it for as long as the tab
 * is open.
 */
export const headersOfPassingData = {
  "x-middleware-cache": "no-cache",
  "Cache-Control": "private, no-store",
};

/**
 * Header rules for next.config.js.
 *
 * @param development Next's development server sends one of its scripts as JSON, which a browser
 *   refuses to run under `nosniff`
 * @param features of the document policy
 */
export async function headerRules(
  development = false,
  features: readonly string[] = documentPolicy,
) {
  const document = features.length > 0 ? { "Document-Policy": features.join(", ") } : {};
  const headers = Object.entries({ ...headersOfEveryResponse, ...document })
    .filter(([key]) => !development || key !== "X-Content-Type-Options")
    .map(([key, value]) => ({ key, value }));
  return [{ source: "/:path*", locale: false as const, headers }];
}
