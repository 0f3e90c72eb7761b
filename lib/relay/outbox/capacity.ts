import { createHash, randomBytes } from "node:crypto";
import { type Driver, OutboxError } from "./driver";
import { type Droppable, dropSome } from "./drops";
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
/** How long a reading is relied on, in milliseconds: so many times what it took. */
const fresh = { times: 10, minMs: 250, maxMs: 2000 };

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

/** @returns how much waits, by side and priority @throws {OutboxError} */
export async function readTotals(driver: Driver): Promise<Sum[]> {
  const text = `select case when sender = ${serverSender} then 1 else 0 end as server, low,
      count(*) as quantity, cast(sum(size) as bigint) as bytes, min(received_at) as oldest
    from {outbox} group by 1, 2`;
  // Not by `read`, which may wait for pages.
  const [sums = []] = await driver.transaction([{ text }]);
  return sums as unknown as Sum[];
}

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
  /** What was admitted since the last reading began. */
  #recent: Newcomer[] = [];
  #freshUntil = Number.NEGATIVE_INFINITY;
  #isAtWork = false;
  /** Which bounds were exceeded, where there was something to evict. */
  readonly #toEvict = new Set<keyof Bytes>();

  constructor(
    private readonly store: Store,
    private readonly maxBytes: number,
  ) {
    this.#max = { all: maxBytes, browsers: browserShare * maxBytes };
  }

  /** Takes the room for a report. @returns why there is none */
  admit(newcomer: Newcomer): OutboxError | undefined {
    const { bytes, isLow, sender } = newcomer;
    const exceeded = boundsFor(sender).filter((of) => this.#used[of] + bytes > this.#max[of]);
    for (const of of exceeded) if (this.#low[of] > 0) this.#toEvict.add(of);
    void this.#keepUp();
    const ofSender = this.#bytesOf.get(sender) ?? 0;
    const isCrowded =
      this.#used.all > crowdedShare * this.maxBytes && ofSender > senderShare * this.maxBytes;
    if (isCrowded && sender > serverSender) return crowded;
    const canMakeRoom = (of: keyof Bytes) =>
      !isLow && this.#used[of] + bytes - this.#low[of] <= this.#max[of];
    if (!exceeded.every(canMakeRoom)) {
      return new OutboxError("full", `The outbox holds its ${this.maxBytes} bytes.`);
    }
    // Without its envelope.
    this.#recent.push({ bytes, isLow, sender });
    this.#count(newcomer);
    return undefined;
  }

  #count({ bytes, isLow, sender }: Newcomer): void {
    for (const of of boundsFor(sender)) {
      this.#used[of] += bytes;
      if (isLow) this.#low[of] += bytes;
    }
    this.#bytesOf.set(sender, (this.#bytesOf.get(sender) ?? 0) + bytes);
  }

  /** Reads the store from time to time, and evicts where it is full. One at a time. Never rejects. */
  async #keepUp(): Promise<void> {
    if (this.#isAtWork) return;
    this.#isAtWork = true;
    try {
      // What is admitted together with this one is written before.
      await undefined;
      while (this.#toEvict.size > 0 || performance.now() >= this.#freshUntil) {
        for (const of of this.#toEvict) {
          this.#toEvict.delete(of);
          await this.#evict(of);
        }
        await this.#read();
      }
    } catch {
      // Whoever writes next is told why.
    }
    this.#isAtWork = false;
  }

  /** More than is needed now, so that not each report has to wait for room. */
  async #evict(of: keyof Bytes): Promise<void> {
    const where = of === "all" ? "low = 1" : `low = 1 and sender <> ${serverSender}`;
    const which: Droppable = { where, reason: () => "cache_overflow" };
    let over = this.#used[of] + this.maxBytes * senderShare - this.#max[of];
    while (over > 0) {
      const bytes = await dropSome(this.store, which, over);
      if (bytes === 0) return;
      over -= bytes;
    }
  }

  async #read(): Promise<void> {
    const begun = performance.now();
    this.#recent = [];
    const [sums, senders] = await Promise.all([readTotals(this.store.driver), this.#largest()]);
    const bytes = (which: (sum: Sum) => boolean) =>
      sums.filter(which).reduce((all, sum) => all + sum.bytes, 0);
    this.#used = { all: bytes(() => true), browsers: bytes(({ server }) => server === 0) };
    this.#low = {
      all: bytes(({ low }) => low === 1),
      browsers: bytes(({ low, server }) => low === 1 && server === 0),
    };
    this.#bytesOf = new Map(senders.map(({ sender, bytes }) => [sender, bytes]));
    for (const newcomer of this.#recent) this.#count(newcomer);
    const now = performance.now();
    const relied = Math.max(fresh.minMs, fresh.times * (now - begun));
    this.#freshUntil = now + Math.min(relied, fresh.maxMs);
  }

  /** What senders have that may have too much, once half is taken. */
  async #largest(): Promise<{ sender: number; bytes: number }[]> {
    if (this.#used.all < (crowdedShare / 2) * this.maxBytes) return [];
    const statement = {
      text: `select sender, cast(sum(size) as bigint) as bytes from {outbox}
        where sender > ${serverSender} group by sender having sum(size) > $1`,
      values: [Math.floor((this.maxBytes * senderShare) / 4)],
    };
    const [rows = []] = await this.store.driver.transaction([statement]);
    return rows as unknown as { sender: number; bytes: number }[];
  }
}

function boundsFor(sender: number): (keyof Bytes)[] {
  return sender === serverSender ? ["all"] : ["all", "browsers"];
}

const crowded = new OutboxError(
  "crowded",
  "More than half of the outbox is taken, and this sender holds too much of it.",
);
