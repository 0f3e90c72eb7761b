import { hash } from "node:crypto";
import { internalOnly } from "../envelope/categories.ts";
import { OutboxError } from "./driver.ts";
import { dropSome } from "./drops.ts";
import type { ReportRow } from "./reports.ts";
import type { Store } from "./store.ts";

/** Reports of nobody in particular: the address is not known. */
export const unknownSender = 0;
/** The server's own reports. */
export const serverSender = 1;

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

/**
 * A number that tells one sender of a store from another. It is one of 65,536: so many IPv4 addresses share
 * each that it can't be turned back into one, not even with the secret, which lies in the same store.
 *
 * @param secret of the store, see `StoreSecret`
 * @param key of a browser's address, see `shareKey` in packages/relay/src/http/client.ts
 */
export function senderNumber(secret: Buffer, key: string): number {
  const bytes = Buffer.concat([secret, Buffer.from(`sender ${key}`)]);
  return hash("sha256", bytes, "buffer").readUInt16LE() + serverSender + 1;
}

/** Bytes of all reports, of browsers', and of those of high priority. */
type Bytes = Record<"all" | "browsers" | "high", number>;

type Report = Pick<ReportRow, "sender" | "size" | "low">;

/**
 * Whether there is room for a report, by what was read of the store a moment ago and what this process
 * has appended and evicted since. Where there is none, the oldest reports of low priority are evicted.
 */
export class Capacity {
  #used: Bytes = { all: 0, browsers: 0, high: 0 };
  /** What senders have: those with much of it, and what this process has appended since. */
  #bytesOf = new Map<number, Omit<Bytes, "browsers">>();
  #freshUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly store: Store,
    private readonly maxBytes: number,
  ) {}

  /** Makes as much room as these need, if there is something to evict. @throws {OutboxError} */
  async prepare(newcomers: readonly Report[]): Promise<void> {
    if (performance.now() >= this.#freshUntil) await this.#read();
    const all = sumOf(newcomers);
    await this.#evict("low = 1", () => this.#used.all + all - this.maxBytes);
    const browsers = sumOf(newcomers.filter(({ sender }) => sender !== serverSender));
    const share = browserShare * this.maxBytes;
    const ofBrowsers = `low = 1 and sender <> ${serverSender}`;
    await this.#evict(ofBrowsers, () => this.#used.browsers + browsers - share);
  }

  /** Takes the room for a report. @returns why there is none */
  admit(report: Report & Pick<ReportRow, "categories">): OutboxError | undefined {
    const { maxBytes } = this;
    const { sender, size, low, categories } = report;
    // What can be evicted never stands in the way of an error.
    const rank = low === 1 ? "all" : "high";
    const ofSender = this.#bytesOf.get(sender)?.[rank] ?? 0;
    const exceedsQuota =
      this.#used[rank] > quotaShare * maxBytes && ofSender > senderShare * maxBytes;
    if (exceedsQuota && sender > serverSender) return overQuota;
    const exceedsShare = this.#used.browsers + size > browserShare * maxBytes;
    // What was dropped is told where there is no room, too: one small report a minute.
    const tellsDrops = sender === serverSender && categories === internalOnly;
    const isFull = this.#used.all + size > maxBytes && !tellsDrops;
    if (isFull || (exceedsShare && sender !== serverSender)) {
      return new OutboxError("full", `The outbox holds its ${maxBytes} bytes.`);
    }
    this.#add(report);
    return undefined;
  }

  /** @param report of a negative size where it was evicted */
  #add({ sender, size, low }: Report): void {
    const high = low === 1 ? 0 : size;
    this.#used.all += size;
    this.#used.high += high;
    if (sender !== serverSender) this.#used.browsers += size;
    const ofSender = this.#bytesOf.get(sender) ?? { all: 0, high: 0 };
    this.#bytesOf.set(sender, { all: ofSender.all + size, high: ofSender.high + high });
  }

  async #read(): Promise<void> {
    const begun = performance.now();
    const sum = (of: string) => `cast(coalesce(sum(${of}), 0) as bigint)`;
    const allAndHigh = `${sum("size")} as "all", ${sum("case when low = 0 then size end")} as high`;
    const ofBrowsers = sum(`case when sender <> ${serverSender} then size end`);
    const [[used] = [], senders = []] = await this.store.driver.transaction([
      { text: `select ${allAndHigh}, ${ofBrowsers} as browsers from {outbox}` },
      {
        text: `select ${allAndHigh}, sender from {outbox} where sender > ${serverSender}
          group by sender having sum(size) > $1`,
        values: [Math.floor((this.maxBytes * senderShare) / 4)],
      },
    ]);
    this.#used = used as unknown as Bytes;
    const largest = senders as unknown as (Omit<Bytes, "browsers"> & { sender: number })[];
    this.#bytesOf = new Map(largest.map(({ sender, ...bytes }) => [sender, bytes]));
    const now = performance.now();
    this.#freshUntil = now + Math.min(Math.max(freshMs, freshTimes * (now - begun)), maxFreshMs);
  }

  /**
   * More than is needed now, so that not each report has to ask for room. What is there is not counted
   * again: that costs as much as there is.
   */
  async #evict(where: string, over: () => number): Promise<void> {
    const spare = over() > 0 ? this.maxBytes * senderShare : 0;
    while (over() + spare > 0) {
      const which = { where, reason: "cache_overflow" } as const;
      const evicted = await dropSome(this.store, which, over() + spare);
      if (evicted.length === 0) return;
      for (const { sender, size } of evicted) this.#add({ sender, size: -size, low: 1 });
    }
  }
}

function sumOf(reports: readonly Report[]): number {
  return reports.reduce((sum, { size }) => sum + size, 0);
}

const overQuota = new OutboxError(
  "over_quota",
  "More than half of the outbox is taken, and this sender holds too much of it.",
);
