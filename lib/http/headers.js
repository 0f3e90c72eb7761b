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

/** @param {Record<string, string>} headers */
function pairs(headers) {
  return Object.entries(headers).map(([key, value]) => ({ key, value }));
}

/**
 * Header rules for next.config.js.
 *
 * @type {NonNullable<import("next").NextConfig["headers"]>}
 */
export async function headerRules() {
  return [{ source: "/:path*", locale: false, headers: pairs(everywhere) }];
}
