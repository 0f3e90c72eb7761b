export type LogLevel = "debug" | "info" | "warn" | "error";

/** Values of a log event. No personal data: no addresses, cookies, query values. */
export type LogFields = Record<string, string | number | boolean | undefined>;

/**
 * What is told of events. Must not throw.
 *
 * @param event what happened, in words that never change, so that they can be searched for
 */
export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;

/** A line of JSON for each event from `info` on. */
export const logToStderr: Log = (level, event, fields) => {
  if (level === "debug") return;
  process.stderr.write(
    `${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`,
  );
};

const repeatMs = 60_000;
const maxRemembered = 100;

/**
 * A log for what may happen again and again: it writes the same event with the same fields once a
 * minute at most, and at most 100 different ones a minute.
 */
export function oncePerMinute(write: Log): Log {
  // In the order of their times.
  const written = new Map<string, number>();
  return (level, event, fields = {}) => {
    const now = performance.now();
    for (const [line, at] of written) {
      if (now - at < repeatMs) break;
      written.delete(line);
    }
    const line = JSON.stringify([event, fields]);
    if (written.has(line) || written.size >= maxRemembered) return;
    written.set(line, now);
    write(level, event, fields);
  };
}
