import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import nextEnv from "@next/env";
import { ConfigError } from "../lib/base/config/check-environment.ts";
import type { RuntimeConfig } from "../lib/base/config/runtime.ts";
import { hasInbox } from "../lib/site/routes/built-in.ts";

/**
 * Reads the `.env` files as Next does, before any other code reads the environment. Next then leaves
 * it as it is.
 */
export function prepareEnvironment(mode: "production" | "development") {
  process.env.NEXT_TELEMETRY_DISABLED = "1";
  (process.env as Record<string, string | undefined>).NODE_ENV = mode;
  nextEnv.loadEnvConfig(process.cwd(), mode === "development");
}

/** Runs a command. If the configuration can't be used, prints only the message and exits. */
export async function exitOnConfigError(command: () => unknown) {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

/**
 * Runs Next's own command in this process, so that it uses the configuration checked and the token
 * shown here. Prints the addresses once the server responds.
 *
 * @param basePath empty, or beginning with a slash
 * @throws {ConfigError} before anything listens
 */
export async function serve(command: "dev" | "start", config: RuntimeConfig, basePath: string) {
  const args = process.argv.slice(2);
  const address = readAddress(process.env, args);
  await checkAddress(address);
  const { port, host } = address;
  // What is given twice has the same value twice.
  const options = [...args, "-p", String(port), ...(host ? ["-H", host] : [])];
  process.argv = [process.execPath, "next", command, ...options];
  await import("next/dist/bin/next");
  // In development Next serves from a process of its own, and only that one knows the port for 0.
  if (command === "dev" && port === 0) return;
  console.log(announcement(await answeringUrl(address, basePath), config));
}

/** All interfaces if it has no host. */
type Address = { port: number; host: string | undefined };

/**
 * @param args of the command; Next's own options for port and host go before the environment
 * @returns port 0 lets the system choose
 * @throws {ConfigError}
 */
export function readAddress(
  { PORT, HOST }: Record<string, string | undefined>,
  args: string[] = [],
): Address {
  const { values } = parseArgs({
    args,
    options: { port: { type: "string", short: "p" }, hostname: { type: "string", short: "H" } },
    strict: false,
  });
  const text = String(values.port ?? (PORT || "3000"));
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new ConfigError([
      `PORT is ${JSON.stringify(text)}: must be a whole number from 0 to 65535, for example PORT=3000`,
    ]);
  }
  const host = typeof values.hostname === "string" ? values.hostname : HOST;
  return { port: Number(text), host: host || undefined };
}

/**
 * Listens for a moment, to report in plain words an address that can't be used.
 *
 * @throws {ConfigError}
 */
export function checkAddress({ port, host }: Address): Promise<void> {
  const faults: Record<string, string> = {
    EADDRINUSE: `PORT is ${port}: another program listens there; stop it, or choose another, for example PORT=${port === 65_535 ? 3000 : port + 1}`,
    EACCES: `PORT is ${port}: this user may not listen there; choose one above 1023, for example PORT=3000`,
    EADDRNOTAVAIL: `HOST is "${host}": not an address of this machine, for example HOST=127.0.0.1`,
    ENOTFOUND: `HOST is "${host}": no such host, for example HOST=127.0.0.1`,
  };
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => {
      const fault = faults[error.code ?? ""];
      reject(fault ? new ConfigError([fault]) : error);
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

/** Waits until the server responds, with any status. @returns the app's URL, without a slash at the end */
async function answeringUrl({ port, host = "" }: Address, basePath: string): Promise<string> {
  const all = ["", "0.0.0.0", "::"].includes(host);
  const name = all ? "localhost" : host.includes(":") ? `[${host}]` : host;
  for (;;) {
    // Next sets PORT when it listens. For port 0, that is the port which the system chose.
    const url = `http://${name}:${port || process.env.PORT}${basePath}`;
    try {
      await fetch(`${url}/api/health/live`);
      return url;
    } catch {
      // Not listening yet. A server that can't listen ends the process.
      await wait(50);
    }
  }
}

/**
 * @param url the app's, base path included, without a slash at the end
 * @param inbox whether the app has one
 * @returns the lines that an operator sees once the server responds
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
