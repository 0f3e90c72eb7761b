/** Other visitors' browsers block the same, so a few reports from each page are enough. */
const maxViolations = 5;

/**
 * What a page can ask for, and the words for what has no URL. All else is the browser's own or an
 * extension's, under some thirty schemes: `chrome`, `resource`, `about`, `user-script`. Browsers tell mostly
 * the scheme alone.
 * Source: https://www.w3.org/TR/CSP3/#strip-url-for-use-in-reports
 */
const ofPage = /^(https?|wss?|data|blob|self|inline|(wasm-)?eval|trusted-types-.+|)(:|$)/;

const reported: string[] = [];

/**
 * The error to report for something that the browser blocked because the page's policy does not allow it. Its
 * message has directive and what was blocked: by these, violations belong together, wherever they happen.
 *
 * @returns nothing if nothing was blocked, if the browser or an extension caused it, if this page has
 *   reported the same one, or if it has reported enough
 */
export function violationToReport(event: SecurityPolicyViolationEvent): Error | undefined {
  const { blockedURI, sourceFile } = event;
  // Under `Content-Security-Policy-Report-Only`, which is often a CDN's, nothing is blocked.
  if (event.disposition === "report" || !ofPage.test(blockedURI) || !ofPage.test(sourceFile || ""))
    return undefined;
  // Of a URL, the origin alone: the rest may be private. Else it is a word such as `inline`.
  const blocked = blockedURI.replace(/^(\w+:\/\/[^/?#]*|[^:]*).*/, "$1");
  const message = `${event.effectiveDirective} blocked ${blocked}`;
  if (reported.includes(message) || reported[maxViolations - 1]) return undefined;
  reported.push(message);
  return Object.assign(new Error(message), {
    name: "CSPViolation",
    // The script that wanted it, if there is one. The stack of this function tells nothing.
    stack: sourceFile && `\nat ${sourceFile}:${event.lineNumber}:${event.columnNumber}`,
  });
}
