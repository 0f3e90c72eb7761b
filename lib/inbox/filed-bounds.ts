import type { Origin } from "@/lib/outbox/outbox";
import type { Rows, Statement } from "@/lib/outbox/rows";

export interface FiledBounds {
  errors: number;
  /** Bytes that errors take, as each counts its own. */
  errorBytes: number;
  messages: number;
  messageBytes: number;
  stackBytes: number;
  measurements: number;
  measurementBytes: number;
  maxAgeMs: number;
}

/** Together within the outbox's `maxRowBytes`. */
export const filedBounds: FiledBounds = {
  errors: 100_000,
  errorBytes: 80 * 1024 * 1024,
  messages: 10_000,
  messageBytes: 16 * 1024 * 1024,
  stackBytes: 32 * 1024 * 1024,
  measurements: 100_000,
  measurementBytes: 32 * 1024 * 1024,
  maxAgeMs: 30 * 24 * 3_600_000,
};

/** Rows that one statement removes. */
const batch = 1_000;

/**
 * Removes rows beyond the bounds, those seen longest ago first, and notes about reports that are gone.
 *
 * @param now milliseconds since the epoch
 */
export async function pruneRows(rows: Rows, bounds: FiledBounds, now: number): Promise<void> {
  await rows.change([
    { text: "delete from {errors} where seen_at < $1", values: [now - bounds.maxAgeMs] },
    { text: "delete from {feedback} where seen_at < $1", values: [now - bounds.maxAgeMs] },
    { text: "delete from {measurements} where seen_at < $1", values: [now - bounds.maxAgeMs] },
    unused("unfiled_items", "report_id", "reports", "id"),
    unused("unresolved", "report_id", "reports", "id"),
    unused("filings", "report_id", "reports", "id"),
  ]);
  await pruneOldest(rows, "errors", {
    key: "event_id",
    maxCount: bounds.errors,
    maxBytes: bounds.errorBytes,
    shares: originShares,
  });
  await pruneOldest(rows, "feedback", {
    key: "message_key",
    maxCount: bounds.messages,
    maxBytes: bounds.messageBytes,
  });
  await pruneOldest(rows, "measurements", {
    key: "report_id, position",
    maxCount: bounds.measurements,
    maxBytes: bounds.measurementBytes,
    shares: originShares,
  });
  await rows.change([
    unused("error_groups", "group_id", "errors"),
    unused("routes", "route", "measurements"),
    unused("stacks", "id", "errors", "stack_id"),
  ]);
  await pruneStacks(rows, bounds);
}

/** Of the bounds. What browsers send, which anybody can, never makes the server's rows fewer than that. */
const originShares: Record<Origin, number> = { browser: 0.75, server: 0.25 };

/** Removes the rows that no row of another table has a use for. */
function unused(table: string, key: string, user: string, column = key): Statement {
  return {
    text: `delete from {${table}} as t
      where not exists (select 1 from {${user}} as u where u.${column} = t.${key})`,
  };
}

interface Used {
  count: number;
  bytes: number;
}

interface UsedByOrigin extends Used {
  origin: string;
}

interface Bound {
  /** Columns. */
  key: string;
  maxCount: number;
  maxBytes: number;
  /** Where there is no room, only origins with more than their share make some. */
  shares?: Record<Origin, number>;
}

async function used(rows: Rows, table: string, origin: "origin" | "''"): Promise<UsedByOrigin[]> {
  return rows.select({
    text: `select ${origin} as origin, count(*) as count, cast(sum(size) as bigint) as bytes
      from {${table}} group by 1`,
  });
}

async function pruneOldest(
  rows: Rows,
  table: "errors" | "feedback" | "measurements",
  { key, maxCount, maxBytes, shares }: Bound,
): Promise<void> {
  for (;;) {
    const origins = await used(rows, table, shares ? "origin" : "''");
    const count = sumOf(origins, "count");
    const hasNoBytes = sumOf(origins, "bytes") > maxBytes;
    if (count <= maxCount && !hasNoBytes) return;
    const surplusOf = ({ origin, count, bytes }: UsedByOrigin) => {
      const share = shares?.[origin as Origin] ?? 0;
      return hasNoBytes ? bytes - share * maxBytes : count - share * maxCount;
    };
    const over = origins.filter((one) => surplusOf(one) > 0);
    const only = shares ? `where origin in (${over.map(({ origin }) => `'${origin}'`)})` : "";
    const surplus = Math.min(count - maxCount, ...over.map((one) => Math.ceil(surplusOf(one))));
    const excess = hasNoBytes ? Math.ceil(count / 50) : surplus;
    for (let left = excess; left > 0; left -= batch) {
      await rows.change([
        {
          text: `delete from {${table}} where (${key}) in (
            select ${key} from {${table}} ${only} order by seen_at, ${key} limit $1)`,
          values: [Math.min(left, batch)],
        },
      ]);
    }
  }
}

function sumOf(all: readonly Used[], part: keyof Used): number {
  return all.reduce((sum, one) => sum + one[part], 0);
}

async function pruneStacks(rows: Rows, { stackBytes }: FiledBounds): Promise<void> {
  for (;;) {
    const [{ count, bytes } = { count: 0, bytes: 0 }] = await used(rows, "stacks", "''");
    if (bytes <= stackBytes) return;
    await rows.change([
      {
        text: `delete from {stacks} where id in (
          select id from {stacks} order by used_at, id limit $1)`,
        values: [Math.ceil(count / 20)],
      },
    ]);
  }
}
