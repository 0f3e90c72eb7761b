import { log, type RuntimeConfig, servedOrigin } from "@signpost/sentry/server";
import { basePath } from "@/lib/base/config/public";

type Reports = Pick<RuntimeConfig, "dsn" | "inboxToken" | "inboxTokenIsRandom">;

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
): { app: string; inbox?: string; reports?: string } {
  const app = `${url}/`;
  if (dsn) return { app, reports: `${new URL(dsn.envelopeUrl).origin}, project ${dsn.projectId}` };
  if (!inbox) return { app, reports: "nowhere: set SENTRY_DSN" };
  return { app, inbox: `${url}/reports${inboxTokenIsRandom ? `?token=${inboxToken}` : ""}` };
}

/** Says the addresses: to a person on lines of their own, otherwise as one event of the log. */
export function sayAddresses(config: Reports, inbox: boolean): void {
  const found = addresses(servedOrigin() + basePath, config, inbox);
  if (!process.stdout.isTTY) {
    log("info", "serving", found);
    return;
  }
  const lines = Object.entries(found).map(([name, where]) => `  ${name.padEnd(9)}${where}\n`);
  process.stdout.write(`\n${lines.join("")}\n`);
}
