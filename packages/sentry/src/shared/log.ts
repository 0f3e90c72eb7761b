import { runtimeConfig } from "./environment/runtime.ts";

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

const repeatMs = 60_000;
const maxRemembered = 100;

/**
 * A log for what may happen again and again: it writes the same event with the same fields once a
 * minute at most, and at most 100 different ones a minute.
 *
 * @param now milliseconds of any clock that only goes forward
 */
export function oncePerMinute(write: typeof log, now = () => performance.now()): typeof log {
  // In the order of their times.
  const written = new Map<string, number>();
  return (level, event, fields = {}) => {
    const time = now();
    for (const [line, at] of written) {
      if (time - at < repeatMs) break;
      written.delete(line);
    }
    const line = JSON.stringify([event, fields]);
    if (written.has(line) || written.size >= maxRemembered) return;
    written.set(line, time);
    write(level, event, fields);
  };
}

function jsonLine(level: LogLevel, event: string, fields: LogFields): string {
  return JSON.stringify({ time: new Date().toISOString(), level, event, ...fields });
}

function readableLine(level: LogLevel, event: string, fields: LogFields): string {
  const rest = Object.entries(fields).filter(([, value]) => value !== undefined);
  return [`${level}: ${event}`, ...rest.map(([key, value]) => `${key}=${value}`)].join("  ");
}

export type Log = typeof log;
