import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ConfigError } from "../lib/config/check-environment.ts";

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
 * The command line of Next's own command, for `process.argv`.
 *
 * @param args passed on to it
 */
export function nextCommand(
  command: "dev" | "start",
  args: string[],
  { port, host }: Address,
): string[] {
  // What is given twice has the same value twice.
  const address = ["-p", String(port), ...(host ? ["-H", host] : [])];
  return [process.execPath, "next", command, ...args, ...address];
}

const faults = {
  EADDRINUSE: ({ port }) =>
    `PORT is ${port}: another program listens there; stop it, or choose another, for example PORT=${port === 65_535 ? 3000 : port + 1}`,
  EACCES: ({ port }) =>
    `PORT is ${port}: this user may not listen there; choose one above 1023, for example PORT=3000`,
  EADDRNOTAVAIL: ({ host }) =>
    `HOST is ${JSON.stringify(host)}: not an address of this machine, for example HOST=127.0.0.1`,
  ENOTFOUND: ({ host }) =>
    `HOST is ${JSON.stringify(host)}: no such host, for example HOST=127.0.0.1`,
} as Record<string, (address: Address) => string>;

/**
 * Listens for a moment, to report in plain words an address that can't be used.
 *
 * @throws {ConfigError}
 */
export function checkAddress(address: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => {
      const explain = faults[(error as NodeJS.ErrnoException).code ?? ""];
      reject(explain ? new ConfigError([explain(address)]) : error);
    });
    probe.listen(address.port, address.host, () => probe.close(() => resolve()));
  });
}

/**
 * Waits until the server in this process responds, with any status.
 *
 * @param basePath empty, or beginning with a slash
 * @returns the app's URL, base path included, without a slash at the end
 */
export async function answeringUrl({ port, host }: Address, basePath: string): Promise<string> {
  for (;;) {
    // Next sets PORT when it listens. For port 0, that is the port which the system chose.
    const url = `http://${urlHost(host)}:${port || process.env.PORT}${basePath}`;
    try {
      await fetch(`${url}/api/health/live`);
      return url;
    } catch {
      // Not listening yet. A server that can't listen ends the process.
      await wait(50);
    }
  }
}

function urlHost(host: string | undefined) {
  if (!host || host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
