import { createHash } from "node:crypto";
import { type AllowedSources, allowedSources } from "@/lib/policy/policy";
import { checkSources } from "./policy-sources";

checkSources(allowedSources);

/**
 * The policy of a page, as the content of its `<meta http-equiv="Content-Security-Policy">`.
 * Source: https://www.w3.org/TR/CSP3/
 *
 * @param inlineScripts the exact text of every inline script that the page may run. Each is allowed
 *   by its hash, so a prerendered page needs no nonce and stays static
 * @param hotReloadNonce in development only: the nonce of the inline script that hot reloading adds
 * @param allowed what the team adds
 */
export function contentSecurityPolicy(
  inlineScripts: readonly string[],
  hotReloadNonce?: string,
  allowed: AllowedSources = allowedSources,
): string {
  const directives: Record<string, readonly string[]> = {
    "default-src": ["'self'"],
    "script-src": ["'self'", ...inlineScripts.map(hashSource)],
    "style-src": ["'self'"],
    // React and Next set style attributes, `next/image` too. They can't run anything.
    "style-src-attr": ["'unsafe-inline'"],
    "img-src": ["'self'", "data:"],
    "object-src": ["'none'"],
    "base-uri": ["'none'"],
    "form-action": ["'self'"],
  };
  const additions = [allowed, hotReloadNonce ? hotReloading(hotReloadNonce) : {}];
  for (const [name, sources] of additions.flatMap((added) => Object.entries(added))) {
    // Without a directive of its own, the sources of default-src apply.
    directives[name] = [...(directives[name] ?? ["'self'"]), ...sources];
  }
  return written(directives);
}

/**
 * The policy of a small page that is made outside of Next: it runs no script, and loads only what is
 * given.
 *
 * @param needed sources by directive, such as `style-src`
 */
export function scriptlessPolicy(needed: Record<string, readonly string[]>): string {
  const none = ["'none'"];
  return written({
    "default-src": none,
    "base-uri": none,
    "form-action": none,
    "frame-ancestors": none,
    ...needed,
  });
}

function written(directives: Record<string, readonly string[]>): string {
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(" ")}`)
    .join("; ");
}

/** Turbopack evaluates changed modules; Next's error overlay is styled by inline styles. */
function hotReloading(nonce: string): Record<string, string[]> {
  return {
    "script-src": [`'nonce-${nonce}'`, "'unsafe-eval'"],
    "style-src": ["'unsafe-inline'"],
  };
}

/** The source that allows an inline script or style with exactly this text. */
export function hashSource(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
