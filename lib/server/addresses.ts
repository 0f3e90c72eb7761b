import { type RuntimeConfig, relay, servedOrigin } from "@signpost/sentry/server";
import { basePath } from "@/lib/navigation/location";

/**
 * Where the app is and where its reports go.
 *
 * @param url the app's, base path included, without a slash at the end
 * @param destination name of the one that has told its own address; none where there is none
 */
export function addresses(
  url: string,
  { dsn }: Pick<RuntimeConfig, "dsn">,
  destination: string | undefined,
): { App: string; Reports?: string } {
  const App = `${url}/`;
  if (dsn) return { App, Reports: `${new URL(dsn.envelopeUrl).origin}, project ${dsn.projectId}` };
  return destination ? { App } : { App, Reports: "nowhere: set SENTRY_DSN" };
}

/** Says the addresses on lines of their own, beside Next's, for the person who has started the app. */
export function sayAddresses(config: Pick<RuntimeConfig, "dsn">): void {
  const found = Object.entries(addresses(servedOrigin() + basePath, config, relay().destination));
  const lines = found.map(([name, where]) => `  ${name.padEnd(9)}${where}\n`);
  process.stdout.write(`\n${lines.join("")}\n`);
}
