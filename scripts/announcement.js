/**
 * The lines that an operator sees once the server responds.
 *
 * @param {string} url the app's, base path included, without a slash at the end
 * @param {Pick<import("../lib/config/runtime.js").RuntimeConfig, "dsn" | "inboxToken">} config
 * @returns {string} a few lines
 */
export function announcement(url, { dsn, inboxToken }) {
  const reports = dsn
    ? `  Reports  go to ${new URL(dsn.envelopeUrl).origin}, project ${dsn.projectId}`
    : `  Inbox    ${url}/reports?token=${encodeURIComponent(inboxToken)}`;
  return `\n  App      ${url}/\n${reports}\n`;
}
