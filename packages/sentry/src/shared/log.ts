import type { Log } from "@signpost/relay";
import { runtimeConfig } from "./environment/runtime.ts";

export { oncePerMinute } from "@signpost/relay";

type LogLevel = Parameters<Log>[0];
type LogFields = NonNullable<Parameters<Log>[2]>;

const levels = ["debug", "info", "warn", "error"] as const;

/**
 * Writes one event: a JSON line in production, a readable line in development.
 *
 * @param event what happened, in words that never change, so that they can be searched for
 */
export function log(level: LogLevel, event: string, fields: LogFields = {}): void {
  const { logLevel, production } = runtimeConfig();
  if (levels.indexOf(level) < levels.indexOf(logLevel)) return;
  const bounded = Object.entries(fields).map(([name, value]) => [name, atMostLong(value)]);
  const shown: LogFields = Object.fromEntries(bounded);
  const out = level === "warn" || level === "error" ? process.stderr : process.stdout;
  const line = production ? jsonLine(level, event, shown) : readableLine(level, event, shown);
  out.write(`${line}\n`);
}

/** Characters of a value. Strangers choose some, as a part of an error's message. */
const maxLength = 8_000;

function atMostLong(value: LogFields[string]): LogFields[string] {
  const isLong = typeof value === "string" && value.length > maxLength;
  return isLong ? `${value.slice(0, maxLength)}…` : value;
}

function jsonLine(level: LogLevel, event: string, fields: LogFields): string {
  return JSON.stringify({ time: new Date().toISOString(), level, event, ...fields });
}

function readableLine(level: LogLevel, event: string, fields: LogFields): string {
  const rest = Object.entries(fields).filter(([, value]) => value !== undefined);
  return [`${level}: ${event}`, ...rest.map(([key, value]) => `${key}=${value}`)].join("  ");
}
