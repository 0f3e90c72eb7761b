import type { Origin } from "@/lib/outbox/outbox";
import type { Rows } from "@/lib/outbox/rows";

export interface FiledBounds {
  errors: number;
  /** Bytes that errors take, as each counts its own. */
  errorBytes: number;
  /** Of what errors are searched by; there are no more of these than errors. */
  variantBytes: number;
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
  errorBytes: 60 * 1024 * 1024,
  variantBytes: 20 * 1024 * 1024,
  messages: 10_000,
  messageBytes: 16 * 1024 * 1024,
  stackBytes: 32 * 1024 * 1024,
  measurements: 100_000,
  measurementBytes: 32 * 1024 * 1024,
  maxAgeMs: 30 * 24 * 3_600_000,
};

/** Rows that one statement removes: others have their turn after it. */
const batch = 250;

/** Of the bounds. What browsers send, which anybody can, never makes the server's rows fewer than that. */
const originShares: Record<Origin, number> = { browser: 0.75, server: 0.25 };

/** A table whose oldest rows make room. */
interface Table {
  name: "errors" | "error_variants" | "feedback" | "measurements";
  /** Columns. */
  key: string;
  maxCount: number;
  maxBytes: number;
  /** Where there is no room, only origins with more than their share make some. */
  shares?: Record<Origin, number>;
}

/**
 * Removes rows beyond the bounds, those seen longest ago first, and notes about reports that are gone.
 *
 * @param now milliseconds since the epoch
 */
export async function pruneRows(rows: Rows, bounds: FiledBounds, now: number): Promise<void> {
  const tables: Table[] = [
    {
      name: "errors",
      key: "event_id",
      maxCount: bounds.errors,
      maxBytes: bounds.errorBytes,
      shares: originShares,
    },
    {
      name: "error_variants",
      key: "id",
      maxCount: bounds.errors,
      maxBytes: bounds.variantBytes,
    },
    {
      name: "feedback",
      key: "message_key",
      maxCount: bounds.messages,
      maxBytes: bounds.messageBytes,
    },
    {
      name: "measurements",
      key: "report_id, position",
      maxCount: bounds.measurements,
      maxBytes: bounds.measurementBytes,
      shares: originShares,
    },
  ];
  for (const table of tables) {
    await removeExpired(rows, table, now - bounds.maxAgeMs);
    await makeRoom(rows, table);
  }
  await removeUnused(rows, "error_groups", "group_id", "errors");
  await removeUnused(rows, "error_variants", "group_id", "error_groups");
  await removeUnused(rows, "routes", "route", "measurements");
  await removeUnused(rows, "stacks", "id", "errors", "stack_id");
  await removeUnused(rows, "unfiled_items", "report_id", "reports", "id");
  await removeUnused(rows, "unresolved", "report_id", "reports", "id");
  await removeUnused(rows, "filings", "report_id", "reports", "id");
  await pruneStacks(rows, bounds);
}

/** Removes the rows that no row of another table has a use for. */
function removeUnused(rows: Rows, table: string, key: string, user: string, column = key) {
  const text = `delete from {${table}} as t
    where not exists (select 1 from {${user}} as u where u.${column} = t.${key})`;
  return rows.change([{ text }]);
}

async function removeExpired(rows: Rows, table: Table, before: number): Promise<void> {
  const [found] = await rows.select<{ count: number }>({
    text: `select count(*) as count from {${table.name}} where seen_at < $1`,
    values: [before],
  });
  await removeOldest(rows, table, found?.count ?? 0);
}

async function makeRoom(rows: Rows, table: Table): Promise<void> {
  const { maxCount, maxBytes, shares } = table;
  for (;;) {
    const used = await usedBy(rows, table);
    const count = sumOf(used, "count");
    const hasNoBytes = sumOf(used, "bytes") > maxBytes;
    if (count <= maxCount && !hasNoBytes) return;
    const surplusOf = (one: Used) => {
      const share = one.origin ? (shares?.[one.origin] ?? 0) : 0;
      return hasNoBytes ? one.bytes - share * maxBytes : one.count - share * maxCount;
    };
    const over = used.filter((one) => surplusOf(one) > 0);
    const surplus = Math.min(count - maxCount, ...over.map((one) => Math.ceil(surplusOf(one))));
    const excess = hasNoBytes ? Math.ceil(count / 50) : surplus;
    await removeOldest(rows, table, excess, shares && over);
  }
}

/** @param of the origins whose rows are removed; of any where they are not given */
async function removeOldest(
  rows: Rows,
  { name, key }: Table,
  count: number,
  of?: readonly Used[],
): Promise<void> {
  const only = of ? `where origin in (${of.map(({ origin }) => `'${origin}'`)})` : "";
  for (let left = count; left > 0; left -= batch) {
    await rows.change([
      {
        text: `delete from {${name}} where (${key}) in (
          select ${key} from {${name}} ${only} order by seen_at, ${key} limit $1)`,
        values: [Math.min(left, batch)],
      },
    ]);
  }
}

interface Used {
  /** Nothing where rows of all origins are counted together. */
  origin: Origin | undefined;
  count: number;
  bytes: number;
}

/** Without `group by`, which would sort all rows. */
async function usedBy(rows: Rows, { name, shares }: Table): Promise<Used[]> {
  const origins = shares ? (Object.keys(shares) as Origin[]) : [undefined];
  const columns = origins.flatMap((origin, i) => {
    const size = origin ? `case when origin = '${origin}' then size end` : "size";
    return [`count(${size}) as c${i}`, `cast(coalesce(sum(${size}), 0) as bigint) as b${i}`];
  });
  const [found = {}] = await rows.select<Record<string, number>>({
    text: `select ${columns.join(", ")} from {${name}}`,
  });
  return origins.map((origin, i) => ({
    origin,
    count: found[`c${i}`] ?? 0,
    bytes: found[`b${i}`] ?? 0,
  }));
}

function sumOf(all: readonly Used[], part: "count" | "bytes"): number {
  return all.reduce((sum, one) => sum + one[part], 0);
}

async function pruneStacks(rows: Rows, { stackBytes }: FiledBounds): Promise<void> {
  for (;;) {
    const [found] = await rows.select<{ count: number; bytes: number }>({
      text: "select count(*) as count, cast(coalesce(sum(size), 0) as bigint) as bytes from {stacks}",
    });
    const { count = 0, bytes = 0 } = found ?? {};
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
