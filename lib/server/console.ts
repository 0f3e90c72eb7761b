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
      log(level, "console", { message: scrubText(stripVTControlCharacters(format(...args))) });
    };
  }
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
