import { runtimeConfig } from "@/lib/base/config/runtime";

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

/**
 * The log of something that fails and recovers. Each change is a line of its own, but where it changes
 * again and again, recoveries are a minute apart: what comes in between is told at the end of it. So the
 * last word of the log is always how it is, a minute late at most.
 */
export class ConditionLog {
  readonly #again: typeof log;
  /** What the log says last: a failure, or nothing after a recovery. */
  #told: string | undefined;
  #fails = false;
  #recoveredAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** @param recovery the event that tells of it */
  constructor(
    private readonly write: typeof log,
    private readonly recovery: string,
  ) {
    this.#again = oncePerMinute(write);
  }

  /** @param key the failure is another one if this is: its cause may differ each time */
  fail(key: string, ...line: Parameters<typeof log>): void {
    this.#fails = true;
    if (this.#told === key) return;
    // Always the one after a recovery; of others, the same once a minute.
    if (this.#told === undefined) this.write(...line);
    else this.#again(...line);
    this.#told = key;
  }

  recover(): void {
    this.#fails = false;
    if (this.#told === undefined || this.#timer) return;
    const wait = this.#recoveredAt + repeatMs - performance.now();
    if (wait <= 0) this.#tellRecovery();
    else this.#timer = setTimeout(() => this.#tellRecovery(), wait).unref();
  }

  #tellRecovery(): void {
    this.#timer = undefined;
    if (this.#fails) return;
    this.#told = undefined;
    this.#recoveredAt = performance.now();
    this.write("info", this.recovery);
  }
}

function jsonLine(level: LogLevel, event: string, fields: LogFields): string {
  return JSON.stringify({ time: new Date().toISOString(), level, event, ...fields });
}

function readableLine(level: LogLevel, event: string, fields: LogFields): string {
  const rest = Object.entries(fields).filter(([, value]) => value !== undefined);
  return [`${level}: ${event}`, ...rest.map(([key, value]) => `${key}=${value}`)].join("  ");
}
