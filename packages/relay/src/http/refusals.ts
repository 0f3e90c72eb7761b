import type { Log } from "../log.ts";

/** What is refused: each kind has a line of its own in the log. */
type Refused = "envelopes" | "feedback" | "requests";

const tellMs = 60_000;

/** What this process has refused, by reason. The log is told once a minute, where there is something to tell. */
export class Refusals {
  /** Since the start, by kind and then by reason: codes of `errorResponses`. */
  readonly counts = new Map<Refused, Map<string, number>>();
  #untold = new Map<Refused, Map<string, number>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly write: Log,
    private readonly intervalMs = tellMs,
  ) {}

  note(kind: Refused, reason: string): void {
    add(this.counts, kind, reason);
    add(this.#untold, kind, reason);
    this.#timer ??= setTimeout(() => this.tell(), this.intervalMs).unref();
  }

  /** Writes what is not told yet. */
  tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const untold = this.#untold;
    this.#untold = new Map();
    for (const [kind, reasons] of untold) {
      this.write("warn", `${kind} refused`, Object.fromEntries(reasons));
    }
  }
}

function add(counts: Refusals["counts"], kind: Refused, reason: string): void {
  const reasons = counts.get(kind) ?? new Map<string, number>();
  counts.set(kind, reasons.set(reason, (reasons.get(reason) ?? 0) + 1));
}
