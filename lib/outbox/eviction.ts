import { createHash, randomBytes } from "node:crypto";
import type { Priority } from "@/lib/envelope/categories";
import { type Origin, type OutboxBounds, OutboxError } from "./outbox";

/** Reports of nobody in particular: the address is not known, or an earlier version stored them. */
const noSender = 0;
/** The server's own reports. */
export const serverSender = 1;

/**
 * What a report counts towards the bound by bytes beside its envelope. A row takes less, but each
 * costs time wherever reports are counted, passed over or evicted: so the bound by bytes is also one
 * by number, 262,144 reports in 256 MiB.
 */
export const rowOverheadBytes = 1024;

/** What a report counts towards the bound by bytes. */
export function sizeOf({ envelope }: { envelope: Uint8Array }): number {
  return envelope.length + rowOverheadBytes;
}

/** A sender with more than this part of the outbox makes room before all others. */
const maxSenderShare = 1 / 64;
/**
 * After this part of the bound has been evicted or refused, usage is found out anew. It is smaller than
 * `maxSenderShare`, so that a sender who begins to fill the outbox is found soon.
 */
const refreshShare = 1 / 128;
/** No browser can take this part of the outbox from the server's own errors. */
const serverShare = 1 / 4;

const secret = randomBytes(16);

/**
 * A number that tells one sender from another without saying who it is: it can't be turned back, and
 * the same address has another number in another process.
 *
 * @param key of a browser's address, see `senderKey` in lib/http/client-address.ts
 * @returns 0 to 2^32
 */
export function senderNumber(origin: Origin, key: string | undefined): number {
  if (origin === "server") return serverSender;
  if (key === undefined) return noSender;
  const hash = createHash("sha256").update(secret).update(key).digest();
  return hash.readUInt32LE() + serverSender + 1;
}

/** How much of the outbox reports take, in the unit of the bound that was reached. */
export interface Usage {
  /** Of each sender with a number, those with the most first. One row is enough. */
  largest: { sender: number; amount: number } | undefined;
  /** Of the server's own errors. */
  server: number;
}

/** Which reports make room: the oldest of those that match. */
export interface Victims {
  priority: Priority;
  /** Only those of this sender. */
  of?: number;
  /** Only those of other senders than this one. */
  notOf?: number;
}

/**
 * Decides whose reports make room for a new one, as `OutboxBounds` says:
 *
 * 1. The sender that fills the outbox makes room first, so that a flood of one address pushes out
 *    its own reports.
 * 2. Then everybody's reports of low priority, the oldest first.
 * 3. Then the oldest of high priority, where the bounds allow that. The server's own have a share: up
 *    to it they stay and push out those of browsers, beyond it they push out each other.
 *
 * @param usage and `bound` in the same unit
 * @returns in the order in which to look for one; empty if none may go
 */
export function victimsFor(
  report: { sender: number; priority: Priority },
  usage: Usage,
  bound: number,
  whenFull: "refuse" | "drop-oldest",
): Victims[] {
  const mayReplace = whenFull === "drop-oldest";
  const { sender, priority } = report;
  const isLow = priority === "low";
  if (isLow && !mayReplace) return [];
  const { largest } = usage;
  const flooder = largest && largest.amount > bound * maxSenderShare ? largest.sender : undefined;
  const victims: Victims[] = [];
  if (flooder !== undefined) {
    victims.push({ priority: "low", of: flooder });
    if (!isLow && (mayReplace || flooder !== sender)) {
      victims.push({ priority: "high", of: flooder });
    }
  }
  victims.push({ priority: "low" });
  if (isLow) return victims;
  const byServer = sender === serverSender;
  const serverIsSafe = usage.server <= bound * serverShare;
  if (serverIsSafe && (byServer || mayReplace)) {
    victims.push({ priority: "high", notOf: serverSender });
  }
  if (!serverIsSafe && byServer && mayReplace) {
    victims.push({ priority: "high", of: serverSender });
  }
  if (mayReplace) victims.push({ priority: "high" });
  return victims;
}

/** What a bound counts. */
export type Unit = "bytes" | "reports";

/** Per bound, who takes how much of it. */
export type Usages = Record<Unit, RecentUsage>;

export function recentUsages(bounds: OutboxBounds): Usages {
  const { maxBytes, maxReports = Number.POSITIVE_INFINITY, whenFull } = bounds;
  return {
    bytes: new RecentUsage("bytes", maxBytes, whenFull),
    // Only bytes are refused.
    reports: new RecentUsage("reports", maxReports, "drop-oldest"),
  };
}

/**
 * @param size of a new report, for which no other makes room
 * @returns why it is refused; undefined if it is dropped
 */
export function refusalOf(size: number, { maxBytes, whenFull }: OutboxBounds) {
  if (whenFull === "drop-oldest" && size <= maxBytes) return undefined;
  return new OutboxError("full", `The outbox holds its ${maxBytes} bytes.`);
}

/**
 * What `Usage` was when it was last asked for. To find that out takes a look at each report, so it
 * is found out anew only when a part of the bound has been evicted or refused since.
 */
export class RecentUsage {
  #usage: Usage | undefined;
  #left = 0;

  constructor(
    private readonly unit: Unit,
    private readonly bound: number,
    private readonly whenFull: OutboxBounds["whenFull"],
  ) {}

  /** @see victimsFor */
  victimsFor(report: { sender: number; priority: Priority }, usage: Usage): Victims[] {
    return victimsFor(report, usage, this.bound, this.whenFull);
  }

  /** @returns nothing where it must be found out, and passed to `set` */
  get(): Usage | undefined {
    return this.#left > 0 ? this.#usage : undefined;
  }

  set(usage: Usage): Usage {
    this.#usage = usage;
    this.#left = this.bound * refreshShare;
    return usage;
  }

  /** The next `get` returns nothing. */
  forget(): void {
    this.#left = 0;
  }

  /** @param size of a report that was evicted or refused, see `sizeOf` */
  spend(size: number): void {
    this.#left -= this.unit === "bytes" ? size : 1;
  }
}
