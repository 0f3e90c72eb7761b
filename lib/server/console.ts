import { format, stripVTControlCharacters } from "node:util";
import { log } from "@/lib/base/log";
import { scrubText } from "@/lib/relay/envelope/scrub-text";

/**
 * Turns what other code writes by `console.warn` and `console.error` into lines of the log. Each
 * error is logged once, while Next writes it several times, over many lines.
 */
export function logConsole(): void {
  const logged = new WeakSet<Error>();
  for (const level of ["warn", "error"] as const) {
    console[level] = (...args: unknown[]) => {
      const errors = args.filter((arg) => arg instanceof Error);
      if (errors.length > 0 && errors.every((error) => logged.has(error))) return;
      for (const error of errors) logged.add(error);
      const told = isProcessWarning(args[0]) ? "warn" : level;
      log(told, "console", { message: scrubText(stripVTControlCharacters(format(...args))) });
    };
  }
}

/**
 * Node writes its warnings, and those that packages emit, by `console.error`.
 * Source: https://nodejs.org/api/process.html#event-warning
 */
function isProcessWarning(text: unknown): boolean {
  return typeof text === "string" && text.startsWith(`(node:${process.pid}) `);
}

/**
 * Ignores errors of stdout and stderr, such as a closed pipe or a full disk. Without a listener each
 * one is an uncaught exception, which is logged, which fails again, in an endless loop.
 */
export function ignoreOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) {
    // There is no other place to log it.
    stream.on("error", () => {});
  }
}
