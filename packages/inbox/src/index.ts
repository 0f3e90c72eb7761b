import { randomBytes } from "node:crypto";
import type { DestinationContext, EmbeddedDestination, OpenDestination } from "@signpost/relay";
import { InboxDestination } from "./destination.ts";
import type { Filing } from "./model/filed-statements.ts";
import { boundsOf, defaultRetention, type Retention } from "./pruning.ts";
import { answerRequests } from "./requests.ts";
import { inboxTables } from "./tables.ts";
import { inboxPath } from "./views/hrefs.ts";

/** Where an option is missing, the app's variables count that @signpost/sentry reads. */
export interface InboxOptions {
  /** Opens the dashboard: 1 to 256 characters without spaces. Without one, a token is made up at each start. */
  token?: string | undefined;
  /** Whole days that errors, feedback and measurements are kept: 1 to 365, by default 30. */
  retentionDays?: number | undefined;
  /** Whole days that whole reports are kept, no longer than the others: 1 to 365, by default 7. */
  reportRetentionDays?: number | undefined;
  /** What heads the list and stands in each page's title. */
  title?: string | undefined;
}

/** Shorter tokens can be guessed, even at the rate that `Access` allows. */
const minTokenLength = 8;

/**
 * A destination of reports in the outbox's own store, with the dashboard that shows them at `/reports`: errors,
 * feedback and performance, where no service is configured.
 *
 * @throws {TypeError} that names the option that can't be used
 */
export function inbox(options: InboxOptions = {}): EmbeddedDestination<Filing> {
  checkOptions(options);
  return {
    name: "inbox",
    tables: inboxTables,
    path: inboxPath,
    open: (context) => open(context, options),
  };
}

/** @throws {TypeError} */
function checkOptions({ token, retentionDays, reportRetentionDays }: InboxOptions): void {
  // Not the token itself.
  const shown = token === "" ? '""' : typeof token;
  if (token !== undefined && !/^\S{1,256}$/.test(typeof token === "string" ? token : "")) {
    throw new TypeError(
      `Expected \`token\` to be 1 to 256 characters without spaces, got ${shown}`,
    );
  }
  for (const [name, days] of Object.entries({ retentionDays, reportRetentionDays })) {
    if (days === undefined || (Number.isInteger(days) && days >= 1 && days <= 365)) continue;
    const got = typeof days === "number" ? days : JSON.stringify(days);
    throw new TypeError(`Expected \`${name}\` to be a whole number from 1 to 365, got ${got}`);
  }
}

function open(context: DestinationContext, options: InboxOptions): OpenDestination<Filing> {
  const { driver, isUsed, log, path, release, resolve, settings = {} } = context;
  const chosen = options.token ?? settings.token;
  const token = chosen ?? randomBytes(16).toString("hex");
  if (isUsed && token.length < minTokenLength) {
    const advice = `Anyone who guesses the token can read every report: use ${minTokenLength} characters or more.`;
    log("warn", "inbox token is short", { advice });
  }
  const days = (name: keyof Retention) => options[name] ?? settings[name] ?? defaultRetention[name];
  const bounds = boundsOf({
    retentionDays: days("retentionDays"),
    reportRetentionDays: days("reportRetentionDays"),
  });
  const destination = new InboxDestination({ driver, release, resolve, log, bounds });
  return Object.assign(destination, {
    handle: answerRequests(context, { token, title: options.title }),
    // A token that the operator chose is in no output.
    entry: chosen === undefined ? `${path}?token=${token}` : path,
  });
}
