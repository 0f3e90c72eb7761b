import { createHash, randomBytes } from "node:crypto";
import { OutboxError, type Row, type Statement } from "./driver";
import { dropSome } from "./drops";
import type { Origin, Store } from "./outbox";

/** Reports of nobody in particular: the address is not known. */
const noSender = 0;
/** The server's own reports. */
const serverSender = 1;

/**
 * What a report counts beside its envelope. A row takes less, but each costs time wherever reports are
 * counted or evicted: so the bound by bytes is also one by number, 262,144 reports in 256 MiB.
 */
const rowBytes = 1024;
/** The part of the outbox that browsers may take. */
const browserShare = 3 / 4;
/** The part that one sender may take, once more than this part of the outbox is taken. */
const senderShare = 1 / 64;
const crowdedShare = 1 / 2;
/** How long a reading is relied on, in milliseconds, and for how many reports a millisecond more: it counts them. */
const fresh = { minMs: 250, reports: 100 };

export function sizeOf(envelope: Uint8Array): number {
  return envelope.length + rowBytes;
}

const secret = randomBytes(16);

/**
 * A number that tells one sender from another and can't be turned back. Each process has its own.
 *
 * @param key of a browser's address, see `senderKey` in lib/relay/http/client-address.ts
 */
export function senderNumber(origin: Origin, key: string | undefined): number {
  if (origin === "server") return serverSender;
  if (key === undefined) return noSender;
  const hash = createHash("sha256").update(secret).update(key).digest();
  return hash.readUInt32LE() + serverSender + 1;
}

export interface Sum {
  server: number;
  low: number;
  quantity: number;
  bytes: number;
  /** Milliseconds since the epoch. */
  oldest: number;
}

/** How much waits, by side and priority: rows of `Sum`. */
export const totals: Statement = {
  text: `select case when sender = ${serverSender} then 1 else 0 end as server, low,
      count(*) as quantity, cast(sum(size) as bigint) as bytes, min(received_at) as oldest
    from {outbox} group by 1, 2`,
};

/** Bytes of all reports, and of browsers' among them. */
type Bytes = Record<"all" | "browsers", number>;

interface Newcomer {
  bytes: number;
  isLow: boolean;
  sender: number;
}

/**
 * Whether there is room for a report, by what was read of the store a moment ago and what this process
 * has appended since. Beyond the bound, the oldest reports of low priority are evicted: others have their
 * room at once, and those of low priority when that is done.
 */
export class Capacity {
  readonly #max: Bytes;
  #used: Bytes = { all: 0, browsers: 0 };
  /** What of it is of low priority. */
  #low: Bytes = { all: 0, browsers: 0 };
  /** What senders have: those with much of it, and what this process has appended since. */
  #bytesOf = new Map<number, number>();
  #freshUntil = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #lookAgainAt = Number.NEGATIVE_INFINITY;
  #isEvicting = false;
  /** Which bounds were exceeded, where there was something to evict. */
  readonly #toEvict = new Set<keyof Bytes>();

  constructor(
    private readonly store: Store,
    private readonly maxBytes: number,
  ) {
    this.#max = { all: maxBytes, browsers: browserShare * maxBytes };
  }

  /** @returns what to wait for, where no room is known of: others may have made some */
  look(newcomer: Newcomer): Promise<void> | undefined {
    if (!this.#refusalOf(newcomer)) return undefined;
    if (!this.#looking && performance.now() >= this.#lookAgainAt) {
      this.#freshUntil = Number.NEGATIVE_INFINITY;
      const reading = this.store.driver.transaction(this.readings());
      const learned = reading.then((results) => this.learn(results));
      // Whoever writes next is told why it fails.
      this.#looking = learned
        .catch(() => {})
        .finally(() => {
          this.#looking = undefined;
          this.#lookAgainAt = this.#freshUntil;
        });
    }
    return this.#looking;
  }

  /** Takes the room for a report. @returns why there is none */
  admit(newcomer: Newcomer): OutboxError | undefined {
    for (const of of this.#exceededBy(newcomer)) if (this.#low[of] > 0) this.#toEvict.add(of);
    if (this.#toEvict.size > 0) void this.#evict();
    const refusal = this.#refusalOf(newcomer);
    if (refusal) return refusal;
    const { bytes, isLow, sender } = newcomer;
    for (const of of boundsFor(sender)) {
      this.#used[of] += bytes;
      if (isLow) this.#low[of] += bytes;
    }
    this.#bytesOf.set(sender, (this.#bytesOf.get(sender) ?? 0) + bytes);
    return undefined;
  }

  #exceededBy({ bytes, sender }: Newcomer): (keyof Bytes)[] {
    return boundsFor(sender).filter((of) => this.#used[of] + bytes > this.#max[of]);
  }

  #refusalOf(newcomer: Newcomer): OutboxError | undefined {
    const { bytes, isLow, sender } = newcomer;
    const isCrowded = this.#used.all > crowdedShare * this.maxBytes;
    const ofSender = this.#bytesOf.get(sender) ?? 0;
    if (isCrowded && sender > serverSender && ofSender > senderShare * this.maxBytes)
      return crowded;
    const isFull = this.#exceededBy(newcomer).some(
      (of) => isLow || this.#used[of] + bytes - this.#low[of] > this.#max[of],
    );
    return isFull
      ? new OutboxError("full", `The outbox holds its ${this.maxBytes} bytes.`)
      : undefined;
  }

  /** What reads the store, at the end of a transaction that writes; nothing if that was done lately. */
  readings(): Statement[] {
    if (performance.now() < this.#freshUntil) return [];
    const mayBeCrowded = this.#used.all > (crowdedShare / 2) * this.maxBytes;
    const largest = {
      text: `select sender, cast(sum(size) as bigint) as bytes from {outbox}
        where sender > ${serverSender} group by sender having sum(size) > $1`,
      values: [Math.floor((this.maxBytes * senderShare) / 4)],
    };
    return mayBeCrowded ? [totals, largest] : [totals];
  }

  /** @param results of `readings` */
  learn([sums, senders = []]: readonly Row[][]): void {
    if (!sums) return;
    const bytes = (which: (sum: Sum) => boolean) =>
      (sums as unknown as Sum[]).filter(which).reduce((all, sum) => all + sum.bytes, 0);
    this.#used = { all: bytes(() => true), browsers: bytes(({ server }) => server === 0) };
    this.#low = {
      all: bytes(({ low }) => low === 1),
      browsers: bytes(({ low, server }) => low === 1 && server === 0),
    };
    this.#bytesOf = new Map(senders.map((one) => [Number(one.sender), Number(one.bytes)]));
    const quantity = (sums as unknown as Sum[]).reduce((all, sum) => all + sum.quantity, 0);
    this.#freshUntil = performance.now() + fresh.minMs + quantity / fresh.reports;
  }

  /** More than is needed now, so that not each report has to wait for room. Never rejects. */
  async #evict(): Promise<void> {
    if (this.#isEvicting) return;
    this.#isEvicting = true;
    try {
      // What comes together with this one counts as well.
      await undefined;
      const spare = this.maxBytes * senderShare;
      for (const of of this.#toEvict) {
        const where = of === "all" ? "low = 1" : `low = 1 and sender <> ${serverSender}`;
        for (let bytes = 1; bytes > 0 && this.#used[of] + spare > this.#max[of]; ) {
          const over = this.#used[of] + spare - this.#max[of];
          bytes = await dropSome(this.store, { where, reason: () => "cache_overflow" }, over);
          for (const one of new Set([of, "all"] as const)) {
            this.#used[one] -= bytes;
            this.#low[one] -= bytes;
          }
        }
        this.#toEvict.delete(of);
      }
    } catch {
      // Whoever writes next is told why.
    }
    this.#freshUntil = Number.NEGATIVE_INFINITY;
    this.#isEvicting = false;
  }
}

function boundsFor(sender: number): (keyof Bytes)[] {
  return sender === serverSender ? ["all"] : ["all", "browsers"];
}

const crowded = new OutboxError(
  "crowded",
  "More than half of the outbox is taken, and this sender holds too much of it.",
);
