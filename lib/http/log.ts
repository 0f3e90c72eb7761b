import { format, stripVTControlCharacters } from "node:util";
import { runtimeConfig } from "@/lib/config/runtime.js";
import { scrubText } from "@/lib/reporting/scrub";

const levels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof levels)[number];

/** Values that go beside a log event. No personal data: no addresses, cookies, query values. */
export type LogFields = Record<string, string | number | boolean | undefined>;

/**
 * Writes one event: a JSON line in production, a readable line in development.
 *
 * @param event what happened, in words that stay the same, so that it can be searched for
 */
export function log(level: LogLevel, event: string, fields: LogFields = {}): void {
  const { logLevel, production } = runtimeConfig();
  if (levels.indexOf(level) < levels.indexOf(logLevel)) return;
  const out = level === "warn" || level === "error" ? process.stderr : process.stdout;
  const line = production ? jsonLine(level, event, fields) : readableLine(level, event, fields);
  out.write(`${line}\n`);
}

/**
 * Makes warnings and errors that others write to the console lines of this log, an error once:
 * Next writes each several times, over many lines.
 */
export function logConsole(): void {
  const written = new WeakSet<Error>();
  for (const level of ["warn", "error"] as const) {
    console[level] = (...args: unknown[]) => {
      const errors = args.filter((arg) => arg instanceof Error);
      if (errors.length > 0 && errors.every((error) => written.has(error))) return;
      for (const error of errors) written.add(error);
      log(level, "console", { message: scrubText(stripVTControlCharacters(format(...args))) });
    };
  }
}

/**
 * Lets the process live on where its output can't be written, because the reader of a pipe is gone
 * or the disk is full. Without a listener each line would be an uncaught exception, which is logged,
 * which is one more: without end.
 */
export function outliveTheLogsReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    // There is no place left where it could be told.
    stream.on("error", () => {});
  }
}

function jsonLine(level: LogLevel, event: string, fields: LogFields): string {
  return JSON.stringify({ time: new Date().toISOString(), level, event, ...fields });
}

function readableLine(level: LogLevel, event: string, fields: LogFields): string {
  const rest = Object.entries(fields).filter(([, value]) => value !== undefined);
  return [`${level}: ${event}`, ...rest.map(([key, value]) => `${key}=${value}`)].join("  ");
}
