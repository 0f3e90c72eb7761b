import { inspect } from "node:util";

const maxFlushMs = 2000;

/**
 * Keeps a process that crashes alive until its report is stored, for an outbox that needs time for
 * that. Where somebody else listens, as Next does, the process goes on anyway, or it is for them to end
 * it.
 *
 * @param flush stores what was captured; it has 2 s
 */
export function outliveCrashes(flush: () => Promise<void>): void {
  process.on("uncaughtException", (error) => {
    if (process.listenerCount("uncaughtException") > 1) return;
    // As Node does without a listener.
    process.stderr.write(`Uncaught ${inspect(error)}\n`);
    const end = () => process.exit(1);
    setTimeout(end, maxFlushMs);
    void flush().finally(end);
  });
}
