import type { Drops } from "@/lib/envelope/client-report";
import type { Log } from "./outbox";

const intervalMs = 60_000;

/** Logs dropped reports: the first at once, then sums once a minute. */
export class DropLog {
  readonly #sums = new Map<string, Drops>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly log: Log) {}

  add(drops: Drops[]): void {
    for (const drop of drops) {
      const key = `${drop.reason} ${drop.category}`;
      const quantity = (this.#sums.get(key)?.quantity ?? 0) + drop.quantity;
      this.#sums.set(key, { ...drop, quantity });
    }
    if (this.#sums.size > 0 && !this.#timer) this.#write();
  }

  #write(): void {
    this.#timer = undefined;
    if (this.#sums.size === 0) return;
    for (const { reason, category, quantity } of this.#sums.values()) {
      this.log("warn", "reports dropped", { reason, category, quantity });
    }
    this.#sums.clear();
    this.#timer = setTimeout(() => this.#write(), intervalMs);
    this.#timer.unref();
  }
}
