import { oncePerMinute } from "@/lib/log";
import type { Log, OutboxEngine } from "@/lib/outbox/outbox";
import type { ServiceLimits } from "./service-limits";

export interface SharedLimitsOptions {
  limits: ServiceLimits;
  outbox: Pick<OutboxEngine, "note" | "setNote">;
  log: Log;
  /** Milliseconds of any clock that only goes forward. */
  monotonicNow: () => number;
}

const noteName = "service-limits";
/** Minimum time between two writes of the limits: a service may change them with every answer. */
const shareMs = 1000;

/** The service's limits, as the processes on one outbox learn them from each other: by a note in it. */
export class SharedLimits {
  readonly #options: SharedLimitsOptions;
  readonly #logRepeated: Log;
  #unshared = false;
  #lastShared = Number.NEGATIVE_INFINITY;

  constructor(options: SharedLimitsOptions) {
    this.#options = options;
    this.#logRepeated = oncePerMinute(options.log);
  }

  /** Reads what other processes have learned. @throws {OutboxError} */
  async restore(): Promise<void> {
    const { limits, outbox } = this.#options;
    const note = await outbox.note(noteName);
    try {
      // Another process may have written over what this one knows.
      if (!limits.restore(note)) this.#unshared = true;
    } catch (error) {
      this.#logRepeated("warn", "service limits not readable", { cause: String(error) });
    }
  }

  /** Writes what this process has learned: now, or at the first `shareRest` after a second. */
  share(): void {
    this.#unshared = true;
    this.shareRest();
  }

  /** @param mayWait whether another call follows */
  shareRest(mayWait = true): void {
    const { limits, outbox, log, monotonicNow } = this.#options;
    const now = monotonicNow();
    if (!this.#unshared || (mayWait && now - this.#lastShared < shareMs)) return;
    this.#unshared = false;
    this.#lastShared = now;
    outbox.setNote(noteName, limits.serialize()).catch((error) => {
      log("warn", "service limits not stored", { cause: String(error) });
    });
  }
}
