import { runtimeConfig } from "@/lib/config/runtime.js";

const levels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof levels)[number];

/** Values of a log event. No personal data: no addresses, cookies, query values. */
export type LogFields = Record<string, string | number | boolean | undefined>;

/**
 * Writes one event: a JSON line in production, a readable line in development.
 *
 * @param event what happened, in words that never change, so that they can be searched for
 */
export function log(level: LogLevel, event: string, fields: LogFields = {}): void {
  const { logLevel, production } = runtimeConfig();
  if (levels.indexOf(level) < levels.indexOf(logLevel)) return;
  const out = level === "warn" || level === "error" ? process.stderr : process.stdout;
  const line = production ? jsonLine(level, event, fields) : readableLine(level, event, fields);
  out.write(`${line}\n`);
}

function jsonLine(level: LogLevel, event: string, fields: LogFields): string {
  return JSON.stringify({ time: new Date().toISOString(), level, event, ...fields });
}

function readableLine(level: LogLevel, event: string, fields: LogFields): string {
  const rest = Object.entries(fields).filter(([, value]) => value !== undefined);
  return [`${level}: ${event}`, ...rest.map(([key, value]) => `${key}=${value}`)].join("  ");
}
