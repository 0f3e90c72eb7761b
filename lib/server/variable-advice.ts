import { type RuntimeConfig, variables } from "@signpost/sentry/server";
import { appVariables } from "@/lib/config";

/** A variable that is set and does not do what whoever set it expects. */
interface Advice {
  name: string;
  /** One sentence, without the value. */
  advice: string;
}

interface Circumstances {
  config: Pick<RuntimeConfig, "dsn" | "database" | "destination">;
  /** What the build has fixed. */
  built: { basePath: string; tunnel: string };
  hasInbox: boolean;
}

const own = [...variables, ...appVariables];
/** Other programs read FTP_PROXY and its like. */
const mayBeMeant = own.filter((name) => !name.endsWith("_PROXY"));

/** What begins like this is meant for the reporting. */
const ownPrefix =
  /^(NEXT_PUBLIC_)?(SENTRY_|RELAY_|OUTBOX_|INBOX_|DELIVER_|TRUSTED_PROX|BROWSER_TRACES_)/;

/**
 * What Sentry's SDK, its command line and its build plugins read besides.
 * Source: https://docs.sentry.io/cli/configuration/ and the packages' own code
 */
const sentrysOwn =
  /^SENTRY_(URL|LOG_LEVEL|NAME|DEBUG|TRACE|TRACE_LIFECYCLE|BAGGAGE|USE_ENVIRONMENT|SPOTLIGHT|PROPERTIES|API_KEY|PIPELINE|DIST|NO_PROGRESS_BAR|HTTP_\w+|ALLOW_FAILURE|DISABLE_UPDATE_CHECK|LOAD_DOTENV|DOTENV_PATH|CUSTOM_HEADER|SKIP_\w+|SUPPRESS_\w+|VSC_\w+|TEST_\w+)$/;

/** Kubernetes and Docker set these for each service by its name, which may be `sentry` or `relay`. */
const ofService = /_SERVICE_(HOST|PORT)|_PORT(_\d|$)/;

/** @returns advice for each variable of the environment that looks like one of ours and has no effect */
export function variableAdvice(
  circumstances: Circumstances,
  env: Record<string, string | undefined> = process.env,
): Advice[] {
  const names = Object.keys(env).filter((name) => env[name] !== "");
  return [...names.flatMap(misspelt), ...withoutEffect(circumstances, env)];
}

function misspelt(name: string): Advice | [] {
  if (own.includes(name) || sentrysOwn.test(name) || ofService.test(name)) return [];
  const bare = name.replace(/^NEXT_PUBLIC_/, "");
  if (bare !== name && own.includes(bare)) {
    return { name, advice: `Nothing reads it: ${bare} is read when the server starts.` };
  }
  const meant = mayBeMeant.find((known) => isNear(name.toUpperCase(), known));
  if (meant) return { name, advice: `Nothing reads it. Is ${meant} meant?` };
  return ownPrefix.test(name) ? { name, advice: "Nothing reads it: see .env.example." } : [];
}

function withoutEffect(
  { config, built, hasInbox }: Circumstances,
  env: Record<string, string | undefined>,
): Advice[] {
  const { dsn, database, destination } = config;
  const fixed = { NEXT_PUBLIC_BASE_PATH: built.basePath, NEXT_PUBLIC_TUNNEL: built.tunnel };
  const advice = Object.entries(fixed).flatMap(([name, value]) => {
    if (!env[name] || env[name] === value) return [];
    return { name, advice: `It is fixed by the build, which has ${JSON.stringify(value)}.` };
  });
  if (env.DELIVER_TOKEN && !dsn) {
    advice.push({
      name: "DELIVER_TOKEN",
      advice: "Without SENTRY_DSN there is nothing to deliver to, and no /api/deliver.",
    });
  }
  if (database && !dsn && hasInbox && destination.token === undefined) {
    advice.push({
      name: "INBOX_TOKEN",
      advice:
        "It is not set, so each server makes up its own, and the inbox of one opens no other.",
    });
  }
  const { retentionDays = 30, reportRetentionDays = 7 } = destination;
  if (env.INBOX_REPORT_RETENTION_DAYS && reportRetentionDays > retentionDays) {
    advice.push({
      name: "INBOX_REPORT_RETENTION_DAYS",
      advice: `No report is kept for longer than INBOX_RETENTION_DAYS, which is ${retentionDays}.`,
    });
  }
  // Next's standalone server sets it for itself.
  const isStandalone = env.__NEXT_PRIVATE_STANDALONE_CONFIG !== undefined;
  if (isStandalone && env.HOST && env.HOST !== env.HOSTNAME) {
    advice.push({ name: "HOST", advice: "The standalone server listens on HOSTNAME." });
  }
  return advice;
}

/** Short names have more neighbours that mean something else. */
function isNear(name: string, known: string): boolean {
  const most = known.length < 8 ? 0 : known.length < 10 ? 1 : 2;
  return Math.abs(name.length - known.length) <= most && distance(name, known) <= most;
}

/**
 * How many letters are changed, added, left out, or swapped with the next one.
 * Source: https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance (optimal string alignment)
 */
function distance(a: string, b: string): number {
  let [before, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (last?.[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const least = Math.min(changed, (last?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(isSwap ? Math.min(least, (before?.[j - 2] ?? 0) + 1) : least);
    }
    [before, last] = [last ?? [], row];
  }
  return last?.[b.length] ?? 0;
}
