/**
 * What pages may use from other origins, besides their own: the one place to add to the Content
 * Security Policy. docs/security.md has an example for each common case.
 *
 * A source has no effect on other directives. Write whole origins: `https://example.com`, with a path
 * to allow one folder or file only, or `https://*.example.com` for all subdomains.
 */
export const allowedSources: AllowedSources = {};

/**
 * Features that the `Document-Policy` header turns on in every page: `js-profiling` lets Sentry
 * profile in the browser. Source: https://wicg.github.io/document-policy/
 */
export const documentPolicy: readonly "js-profiling"[] = [];

type Origin = `https://${string}` | `http://${string}`;

/** Of an inline element's exact text. Browsers name it in the console when they block the element. */
type Hash = `'sha256-${string}'` | `'sha384-${string}'` | `'sha512-${string}'`;

/** Everything here is added to what the app itself needs. Source: https://www.w3.org/TR/CSP3/ */
export interface AllowedSources {
  /** `'wasm-unsafe-eval'` lets WebAssembly be compiled, and evaluates no JavaScript. */
  "script-src"?: readonly (Origin | Hash | "'wasm-unsafe-eval'")[];
  "style-src"?: readonly (Origin | Hash)[];
  "img-src"?: readonly (Origin | "blob:")[];
  "font-src"?: readonly (Origin | "data:")[];
  /** For `fetch`, `EventSource`, `sendBeacon` and `WebSocket`. */
  "connect-src"?: readonly (Origin | `wss://${string}` | `ws://${string}`)[];
  "media-src"?: readonly (Origin | "data:" | "blob:")[];
  "frame-src"?: readonly Origin[];
  "worker-src"?: readonly (Origin | "blob:")[];
  /** Where forms may be sent, and where the answer to a form may redirect. */
  "form-action"?: readonly Origin[];
}
