import { createHash } from "node:crypto";
import { OutboxError, type Statement } from "./driver.ts";
import { type Droppable, dropSome } from "./drops.ts";
import type { Origin } from "./reports.ts";
import type { Store } from "./store.ts";

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
const quotaShare = 1 / 2;
/** How long a reading is relied on, in milliseconds; or so many times what it took, up to a second. */
const freshMs = 250;
const freshTimes = 10;
const maxFreshMs = 1000;

export function sizeOf(envelope: Uint8Array): number {
  return envelope.length + rowBytes;
}

/** The sender of a report as long as that of a browser's address is not known. */
export function senderOf(origin: Origin): number {
  return origin === "server" ? serverSender : noSender;
}

/**
 * A number that tells one sender of a store from another. It is one of 65,536: so many IPv4 addresses share
 * each that it can't be turned back into one, not even with the secret, which lies in the same store.
 *
 * @param secret of the store, see `StoreSecret`
 * @param key of a browser's address, see `senderKey` in packages/relay/src/http/client.ts
 */
export function senderNumber(secret: Buffer, key: string): number {
  const hash = createHash("sha256").update(secret).update(`sender ${key}`).digest();
  return hash.readUInt16LE() + serverSender + 1;
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

/** Bytes of all reports, of browsers', and of those of high priority. */
interface Bytes {
  all: number;
  browsers: number;
  high: number;
}

/** The same of one sender. */
type SenderBytes = Pick<Bytes, "all" | "high">;

interface Newcomer {
  bytes: number;
  sender: number;
  isLow: boolean;
}

/**
 * Whether there is room for a report, by what was read of the store a moment ago and what this process
 * has appended and evicted since. Where there is none, the oldest reports of low priority are evicted.
 */
export class Capacity {
  #used: Bytes = { all: 0, browsers: 0, high: 0 };
  /** What senders have: those with much of it, and what this process has appended since. */
  #bytesOf = new Map<number, SenderBytes>();
  #freshUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly store: Store,
    private readonly maxBytes: number,
  ) {}

  /**
   * Finds out how much room there is, and makes as much as these need, if there is something to evict.
   *
   * @returns nothing where it is known that there is room @throws {OutboxError}
   */
  prepare(newcomers: readonly Newcomer[]): Promise<void> | undefined {
    const isFresh = performance.now() < this.#freshUntil;
    const over = this.#over(newcomers);
    if (isFresh && over.all <= 0 && over.browsers <= 0) return undefined;
    return this.#makeSpace(isFresh, newcomers);
  }

  async #makeSpace(isFresh: boolean, newcomers: readonly Newcomer[]): Promise<void> {
    if (!isFresh) await this.#read();
    await this.#evict(() => this.#over(newcomers).all, "low = 1");
    const ofBrowsers = `low = 1 and sender <> ${serverSender}`;
    await this.#evict(() => this.#over(newcomers).browsers, ofBrowsers);
  }

  #over(newcomers: readonly Newcomer[]): Pick<Bytes, "all" | "browsers"> {
    const { maxBytes } = this;
    const over = {
      all: this.#used.all - maxBytes,
      browsers: this.#used.browsers - browserShare * maxBytes,
    };
    for (const { bytes, sender } of newcomers) {
      over.all += bytes;
      if (sender !== serverSender) over.browsers += bytes;
    }
    return over;
  }

  /** Takes the room for a report. @returns why there is none */
  admit(report: Newcomer): OutboxError | undefined {
    const { maxBytes } = this;
    const { sender } = report;
    // What can be evicted never stands in the way of an error.
    const rank = report.isLow ? "all" : "high";
    const ofSender = this.#bytesOf.get(sender)?.[rank] ?? 0;
    const exceedsQuota =
      this.#used[rank] > quotaShare * maxBytes && ofSender > senderShare * maxBytes;
    if (exceedsQuota && sender > serverSender) return overQuota;
    const over = this.#over([report]);
    if (over.all > 0 || (sender !== serverSender && over.browsers > 0)) {
      return new OutboxError("full", `The outbox holds its ${maxBytes} bytes.`);
    }
    this.#add(report);
    return undefined;
  }

  /** @param report of negative bytes where it was evicted */
  #add({ bytes, sender, isLow }: Newcomer): void {
    const high = isLow ? 0 : bytes;
    this.#used.all += bytes;
    this.#used.high += high;
    if (sender !== serverSender) this.#used.browsers += bytes;
    const ofSender = this.#bytesOf.get(sender) ?? { all: 0, high: 0 };
    this.#bytesOf.set(sender, { all: ofSender.all + bytes, high: ofSender.high + high });
  }

  async #read(): Promise<void> {
    const begun = performance.now();
    const used = { all: 0, browsers: 0, high: 0 };
    const [sums = []] = await this.store.driver.transaction([totals]);
    for (const { server, low, bytes } of sums as unknown as Sum[]) {
      used.all += bytes;
      if (server === 0) used.browsers += bytes;
      if (low === 0) used.high += bytes;
    }
    this.#used = used;
    const mayExceedQuota = used.all > (quotaShare / 2) * this.maxBytes;
    const senders = mayExceedQuota ? await this.#largest() : [];
    this.#bytesOf = new Map(
      senders.map(({ sender, bytes, high }) => [sender, { all: bytes, high }]),
    );
    const now = performance.now();
    this.#freshUntil = now + Math.min(Math.max(freshMs, freshTimes * (now - begun)), maxFreshMs);
  }

  async #largest(): Promise<{ sender: number; bytes: number; high: number }[]> {
    const statement = {
      text: `select sender, cast(sum(size) as bigint) as bytes,
          cast(sum(case when low = 0 then size else 0 end) as bigint) as high
        from {outbox} where sender > ${serverSender} group by sender having sum(size) > $1`,
      values: [Math.floor((this.maxBytes * senderShare) / 4)],
    };
    const [rows = []] = await this.store.driver.transaction([statement]);
    return rows as unknown as { sender: number; bytes: number; high: number }[];
  }

  /**
   * More than is needed now, so that not each report has to ask for room. What is there is not counted
   * again: that costs as much as there is.
   */
  async #evict(over: () => number, where: string): Promise<void> {
    const which: Droppable = { where, reason: "cache_overflow" };
    const spare = over() > 0 ? this.maxBytes * senderShare : 0;
    while (over() + spare > 0) {
      const evicted = await dropSome(this.store, which, over() + spare);
      if (evicted.length === 0) return;
      for (const { sender, size } of evicted) this.#add({ sender, bytes: -size, isLow: true });
    }
  }
}

const overQuota = new OutboxError(
  "over_quota",
  "More than half of the outbox is taken, and this sender holds too much of it.",
);
