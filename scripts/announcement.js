import { hasInbox } from "../lib/routes/built-in.ts";

/**
 * The lines that an operator sees once the server responds.
 *
 * @param {string} url the app's, base path included, without a slash at the end
 * @param {Pick<import("../lib/config/runtime.ts").RuntimeConfig, "dsn" | "inboxToken">} config
 * @param {boolean} [inbox] whether the app has one
 * @returns {string} a few lines
 */
export function announcement(url, { dsn, inboxToken }, inbox = hasInbox) {
  const kept = inbox
    ? `  Inbox    ${url}/reports?token=${encodeURIComponent(inboxToken)}`
    : "  Reports  are kept, and go nowhere: set SENTRY_DSN";
  const reports = dsn
    ? `  Reports  go to ${new URL(dsn.envelopeUrl).origin}, project ${dsn.projectId}`
    : kept;
  return `\n  App      ${url}/\n${reports}\n`;
}
