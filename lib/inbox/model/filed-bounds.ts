import type { Origin } from "@/lib/outbox/outbox";
import { type Rows, type Value, Values } from "@/lib/outbox/rows";

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

/** Together well within the outbox's `maxRowBytes`: tables of groups, routes and notes need room too. */
export const filedBounds: FiledBounds = {
  errors: 100_000,
  errorBytes: 50 * 1024 * 1024,
  variantBytes: 16 * 1024 * 1024,
  messages: 10_000,
  messageBytes: 12 * 1024 * 1024,
  stackBytes: 24 * 1024 * 1024,
  measurements: 100_000,
  measurementBytes: 24 * 1024 * 1024,
  maxAgeMs: 30 * 24 * 3_600_000,
};

/** Rows that one statement removes: others have their turn after it. */
const batch = 250;

/** How long a process may be frozen between claiming and writing. */
const maxFrozenMs = 3_600_000;

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
      shares: originShares,
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
  await removeUnusedFilings(rows, now);
  await pruneStacks(rows, bounds);
}

/** Removes the rows that no row of another table has a use for. */
function removeUnused(rows: Rows, table: string, key: string, user: string, column = key) {
  const text = `delete from {${table}} as t
    where not exists (select 1 from {${user}} as u where u.${column} = t.${key})`;
  return rows.change([{ text }]);
}

/**
 * But those of reports that are being filed: what is counted goes by them. A process that was frozen
 * may write long after its claim has ended.
 */
function removeUnusedFilings(rows: Rows, now: number) {
  const text = `delete from {filings} as t where (t.done = 1 or t.free_at <= $1)
    and not exists (select 1 from {reports} as u where u.id = t.report_id)`;
  return rows.change([{ text, values: [now - maxFrozenMs] }]);
}

async function removeExpired(rows: Rows, table: Table, before: number): Promise<void> {
  const where = "seen_at < $1";
  const [found] = await rows.select<{ count: number }>({
    text: `select count(*) as count from {${table.name}} where ${where}`,
    values: [before],
  });
  await removeWhere(rows, table, { where, values: [before], count: found?.count ?? 0 });
}

async function makeRoom(rows: Rows, table: Table): Promise<void> {
  const { maxCount, maxBytes, shares } = table;
  for (;;) {
    const used = await usedBy(rows, table);
    const count = sumOf(used, "count");
    const bytes = sumOf(used, "bytes");
    if (count <= maxCount && bytes <= maxBytes) return;
    /** How many rows an origin has beyond its share; for bytes, about so many. */
    const surplusOf = (one: Used) => {
      const share = one.origin ? (shares?.[one.origin] ?? 0) : 0;
      return bytes > maxBytes
        ? ((one.bytes - share * maxBytes) / one.bytes) * one.count
        : one.count - share * maxCount;
    };
    // One after the other: the oldest rows of two together may all be of the one with less too many.
    const [largest] = used
      .filter((one) => one.count > 0)
      .sort((a, b) => surplusOf(b) - surplusOf(a));
    if (!largest) return;
    const wanted = bytes > maxBytes ? ((bytes - maxBytes) / bytes) * count : count - maxCount;
    const removed = Math.ceil(Math.min(wanted, surplusOf(largest)));
    await keepNewest(rows, table, largest.count - removed, largest.origin);
  }
}

/**
 * Another process may remove the same rows meanwhile. So the oldest row that stays is counted from
 * the newest one.
 *
 * @param of whose rows are removed; those of any origin where it is not given
 */
async function keepNewest(rows: Rows, table: Table, count: number, of?: Origin): Promise<void> {
  const { name, key } = table;
  const only = of ? `origin = '${of}'` : "1 = 1";
  const newestFirst = `seen_at desc, ${key.replaceAll(",", " desc,")} desc`;
  const [kept] = await rows.select<Record<string, Value>>({
    text: `select seen_at, ${key} from {${name}} where ${only}
      order by ${newestFirst} limit 1 offset ${Math.max(count - 1, 0)}`,
  });
  if (!kept) return;
  const values = new Values();
  const before = `(seen_at, ${key}) ${count > 0 ? "<" : "<="} (${values.list(Object.values(kept))})`;
  const where = `${only} and ${before}`;
  const [found] = await rows.select<{ count: number }>({
    text: `select count(*) as count from {${name}} where ${where}`,
    values: values.all,
  });
  await removeWhere(rows, table, { where, values: values.all, count: found?.count ?? 0 });
}

/** @param count about how many rows there are, in the order in which they go */
async function removeWhere(
  rows: Rows,
  { name, key }: Table,
  { where, values, count }: { where: string; values: readonly Value[]; count: number },
): Promise<void> {
  const text = `delete from {${name}} where (${key}) in (
    select ${key} from {${name}} where ${where} order by seen_at, ${key} limit ${batch})`;
  for (let left = count; left > 0; left -= batch) await rows.change([{ text, values }]);
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

/** Those of errors of the server's are the last to go, as long as they take no more than their share. */
async function pruneStacks(rows: Rows, { stackBytes }: FiledBounds): Promise<void> {
  const ofServer = `exists (
    select 1 from {errors} as e where e.stack_id = s.id and e.origin = 'server')`;
  const bytesOf = async (where: string) => {
    const [found] = await rows.select<{ bytes: number }>({
      text: `select cast(coalesce(sum(size), 0) as bigint) as bytes from {stacks} as s where ${where}`,
    });
    return found?.bytes ?? 0;
  };
  while ((await bytesOf("1 = 1")) > stackBytes) {
    const serverIsSafe = (await bytesOf(ofServer)) <= stackBytes * originShares.server;
    const which = serverIsSafe ? `not ${ofServer}` : "1 = 1";
    await rows.change([
      {
        text: `delete from {stacks} where id in (
          select s.id from {stacks} as s where ${which} order by used_at, id
          limit (select 1 + count(*) / 20 from {stacks}))`,
      },
    ]);
  }
}
