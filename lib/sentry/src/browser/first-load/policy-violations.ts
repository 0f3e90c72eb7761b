/** Other visitors' browsers block the same, so a few reports from each page are enough. */
const maxViolations = 5;

const extension = /^[a-z-]+-extension\b/;

/** Something that the browser blocked because the page's policy does not allow it. */
export interface CspViolation extends Error {
  /** Violations that belong together, wherever they happen: `CSPViolation`, directive, what was blocked. */
  fingerprint: string[];
}

const reported = new Set<string>();

/**
 * The error to report for a violation.
 *
 * @returns nothing if a browser extension caused it, if this page has reported the same one, or if
 *   it has reported enough
 */
export function violationToReport(event: SecurityPolicyViolationEvent): CspViolation | undefined {
  const { effectiveDirective, blockedURI, sourceFile, lineNumber, columnNumber } = event;
  if (extension.test(blockedURI) || extension.test(sourceFile)) return undefined;
  // Of a URL, the origin alone: the rest may be private. Else it is a word such as `inline`.
  const blocked = blockedURI.replace(/^(\w+:\/\/[^/?#]*).*/, "$1");
  const message = `${effectiveDirective} blocked ${blocked}`;
  if (reported.has(message) || reported.size >= maxViolations) return undefined;
  reported.add(message);
  const name = "CSPViolation";
  return Object.assign(new Error(message), {
    name,
    // The script that wanted it, if there is one. The stack of this function tells nothing.
    stack: sourceFile ? `${name}\n    at ${sourceFile}:${lineNumber}:${columnNumber}` : "",
    fingerprint: [name, effectiveDirective, blocked],
  });
}
