import { createHash } from "node:crypto";

/**
 * The policy of a page, as the content of its `<meta http-equiv="Content-Security-Policy">`.
 * Source: https://www.w3.org/TR/CSP3/
 *
 * @param inlineScripts the exact text of every inline script that the page may run. Each is allowed
 *   by its hash, so a prerendered page needs no nonce and stays static
 * @param development Next's development mode evaluates code and injects styles
 */
export function contentSecurityPolicy(inlineScripts: string[], development: boolean): string {
  const hashes = inlineScripts.map(
    (script) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  );
  const directives: Record<string, string[]> = {
    "default-src": ["'self'"],
    "script-src": ["'self'", ...(development ? ["'unsafe-eval'", "'unsafe-inline'"] : hashes)],
    "style-src": ["'self'", ...(development ? ["'unsafe-inline'"] : [])],
    // React and Next set style attributes, `next/image` too. They can't run anything.
    "style-src-attr": ["'unsafe-inline'"],
    "img-src": ["'self'", "data:"],
    "object-src": ["'none'"],
    "base-uri": ["'none'"],
    "form-action": ["'self'"],
  };
  return Object.entries(directives)
    .map(([name, values]) => `${name} ${values.join(" ")}`)
    .join("; ");
}
