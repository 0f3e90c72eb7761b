import type { RuntimeConfig } from "../lib/config/runtime.ts";
import { hasInbox } from "../lib/routes/built-in.ts";

/**
 * The lines that an operator sees once the server responds.
 *
 * @param url the app's, base path included, without a slash at the end
 * @param inbox whether the app has one
 * @returns a few lines
 */
export function announcement(
  url: string,
  { dsn, inboxToken }: Pick<RuntimeConfig, "dsn" | "inboxToken">,
  inbox: boolean = hasInbox,
): string {
  const kept = inbox
    ? `  Inbox    ${url}/reports?token=${encodeURIComponent(inboxToken)}`
    : "  Reports  are kept, and go nowhere: set SENTRY_DSN";
  const reports = dsn
    ? `  Reports  go to ${new URL(dsn.envelopeUrl).origin}, project ${dsn.projectId}`
    : kept;
  return `\n  App      ${url}/\n${reports}\n`;
}
