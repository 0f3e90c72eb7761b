import type { Drops } from "@/lib/envelope/client-report";
import type { Log } from "./outbox";

const intervalMs = 60_000;

/** Logs dropped reports: the first at once, then sums once a minute. */
export class DropLog {
  #drops: Drops[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly log: Log) {}

  add(drops: Drops[]): void {
    this.#drops = summed([...this.#drops, ...drops]);
    if (this.#drops.length > 0 && !this.#timer) this.#write();
  }

  #write(): void {
    this.#timer = undefined;
    if (this.#drops.length === 0) return;
    for (const { reason, category, quantity } of this.#drops) {
      this.log("warn", "reports dropped", { reason, category, quantity });
    }
    this.#drops = [];
    this.#timer = setTimeout(() => this.#write(), intervalMs);
    this.#timer.unref();
  }
}

/** @returns one entry for each reason and category */
export function summed(drops: readonly Drops[]): Drops[] {
  const sums = new Map<string, Drops>();
  for (const drop of drops) {
    const key = `${drop.reason} ${drop.category}`;
    const quantity = (sums.get(key)?.quantity ?? 0) + drop.quantity;
    sums.set(key, { ...drop, quantity });
  }
  return [...sums.values()];
}
