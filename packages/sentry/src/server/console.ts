import { stripVTControlCharacters } from "node:util";
import { log } from "../shared/log.ts";
import { shared } from "./reporting-state.ts";
import { loggable } from "./request-errors.ts";

/**
 * Turns what other code writes by `console.warn` and `console.error` into lines of the log. Each error of
 * a request is logged once, while Next writes it several times, over many lines: the line of the request
 * that it has failed stands for all of them.
 */
export function logConsole(): void {
  shared().logsConsole = true;
  const outside = new WeakSet<Error>();
  for (const level of ["warn", "error"] as const) {
    console[level] = (...args: unknown[]) => {
      const message = loggable(...args);
      const errors = args.filter((arg) => arg instanceof Error);
      const request = shared().reporter?.currentRequest();
      const { logged } = request ?? {};
      const needsNobody = errors.some((error) => request?.isGivenUp?.(error));
      const urgency = isProcessWarning(args[0]) ? "warn" : level;
      const write = () => log(needsNobody ? "info" : urgency, "console", { message });
      // What the team says of an error stands nowhere else.
      if (errors.length === 0 || args.some(hasWords)) {
        for (const error of errors) logged?.set(error, true);
        write();
      } else if (logged && !errors.every((error) => logged.has(error))) {
        for (const error of errors) if (!logged.has(error)) logged.set(error, false);
        // Next writes it just before it says that the request has failed by it, or after.
        setImmediate(() => errors.every((error) => logged.get(error)) || write());
      } else if (!logged && !errors.every((error) => outside.has(error))) {
        for (const error of errors) outside.add(error);
        write();
      }
    };
  }
}

/** Next puts a sign before some errors, in colours. */
function hasWords(arg: unknown): boolean {
  return typeof arg === "string" && /\p{L}/u.test(stripVTControlCharacters(arg));
}

/**
 * Node writes its warnings, and those that packages emit, by `console.error`.
 * Source: https://nodejs.org/api/process.html#event-warning
 */
function isProcessWarning(text: unknown): boolean {
  return typeof text === "string" && text.startsWith(`(node:${process.pid}) `);
}
