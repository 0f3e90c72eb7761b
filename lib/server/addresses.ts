import { type RuntimeConfig, servedOrigin } from "@signpost/sentry/server";
import type { InboxConfig } from "@/lib/config";
import { basePath } from "@/lib/navigation/location";

type Reports = Pick<RuntimeConfig, "dsn"> & Pick<InboxConfig, "inboxToken" | "inboxTokenIsRandom">;

/**
 * Where the app is and where its reports go. A token that the operator chose is in no output.
 *
 * @param url the app's, base path included, without a slash at the end
 * @param inbox whether the app has one
 */
export function addresses(
  url: string,
  { dsn, inboxToken, inboxTokenIsRandom }: Reports,
  inbox: boolean,
): { App: string; Inbox?: string; Reports?: string } {
  const App = `${url}/`;
  if (dsn) return { App, Reports: `${new URL(dsn.envelopeUrl).origin}, project ${dsn.projectId}` };
  if (!inbox) return { App, Reports: "nowhere: set SENTRY_DSN" };
  return { App, Inbox: `${url}/reports${inboxTokenIsRandom ? `?token=${inboxToken}` : ""}` };
}

/** Says the addresses on lines of their own, beside Next's, for the person who has started the app. */
export function sayAddresses(config: Reports, inbox: boolean): void {
  const found = Object.entries(addresses(servedOrigin() + basePath, config, inbox));
  const lines = found.map(([name, where]) => `  ${name.padEnd(9)}${where}\n`);
  process.stdout.write(`\n${lines.join("")}\n`);
}
