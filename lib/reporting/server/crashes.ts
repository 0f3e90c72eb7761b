import { referenceFor } from "./references";

/**
 * Reports what nobody caught. Whether the process goes on is left to Node and to Next, which by
 * handlers of its own keeps the server running in both cases; `uncaughtExceptionMonitor` is called
 * before them and changes nothing.
 *
 * @param flush puts on disk, before it returns, what was captured so far
 */
export function reportCrashes(flush: () => void): void {
  process.on("uncaughtExceptionMonitor", (error) => {
    referenceFor(error, { mechanism: "signpost.uncaught_exception", level: "fatal" });
    flush();
  });
  process.on("unhandledRejection", (reason) => {
    referenceFor(reason, { mechanism: "signpost.unhandled_rejection" });
    flush();
  });
}
