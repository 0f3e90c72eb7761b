import type { DestinationContext } from "@signpost/relay";
import { type Driver, type Statement, type Value, Values } from "@signpost/relay/store";
import { writerLock } from "./tables.ts";

const dayMs = 24 * 3_600_000;
/** The senders with greater numbers are browsers, see `senderNumber`. */
const serverSender = 1;

/** How many rows are kept, of how many bytes together as each counts its own, and how long. */
interface Bounds {
  count: number;
  bytes: number;
  ageMs: number;
}

/** Rows that make room if they have more than their share of the bounds. */
interface Part {
  where: string;
  share: number;
  /** What browsers send: in it, senders that have much of the table make room before all others. */
  bySender?: boolean;
}

interface Table extends Bounds {
  /** Columns: when a row was last of use, and what tells it from others of that time. */
  age: string;
  key: string;
  /** In the order in which they make room. */
  parts: readonly Part[];
}

/** What browsers send, which anybody can, never makes the server's rows fewer than a quarter. */
function ofOrigin(browser: string, server: string): Part[] {
  return [
    { where: browser, share: 0.75, bySender: true },
    { where: server, share: 0.25 },
  ];
}

const byOrigin = ofOrigin("origin = 'browser'", "origin = 'server'");
const highByOrigin = ofOrigin("low = 0 and origin = 'browser'", "low = 0 and origin = 'server'");
const whole: Part[] = [{ where: "1 = 1", share: 1, bySender: true }];
const usedByServer = `exists (
  select 1 from {errors} as e where e.stack_id = {stacks}.id and e.origin = 'server')`;

function bounds(count: number, mebibytes: number, days: number): Bounds {
  return { count, bytes: mebibytes * 1024 * 1024, ageMs: days * dayMs };
}

/**
 * The part of a table that one sender keeps while others want the room: an IPv4 address, or an IPv6 /48, as in
 * the outbox. So whoever sends much pushes out what he has sent before, and nobody else's.
 */
const senderShare = 1 / 64;

/** There are no more variants than errors, and fewer stacks. */
const tables = {
  kept_reports: {
    ...bounds(10_000, 256, 7),
    age: "kept_at",
    key: "report_id",
    parts: [{ where: "low = 1", share: 0, bySender: true }, ...highByOrigin],
  },
  errors: { ...bounds(100_000, 60, 30), age: "seen_at", key: "event_id", parts: byOrigin },
  error_variants: { ...bounds(100_000, 16, 30), age: "seen_at", key: "id", parts: byOrigin },
  stacks: {
    ...bounds(100_000, 24, 30),
    age: "used_at",
    key: "id",
    parts: ofOrigin(`not ${usedByServer}`, usedByServer),
  },
  feedback: { ...bounds(10_000, 12, 30), age: "seen_at", key: "message_key", parts: whole },
  measurements: {
    ...bounds(100_000, 24, 30),
    age: "seen_at",
    key: "report_id, position",
    parts: byOrigin,
  },
} satisfies Record<string, Table>;

type TableName = keyof typeof tables;
export type FiledBounds = Record<TableName, Bounds>;
export const filedBounds: FiledBounds = tables;

/** How long the inbox keeps what it shows, and whole reports, which it never keeps for longer. */
export interface Retention {
  retentionDays: number;
  reportRetentionDays: number;
}

export const defaultRetention: Retention = { retentionDays: 30, reportRetentionDays: 7 };

/** The bounds with the time that an operator has chosen. */
export function boundsOf({ retentionDays, reportRetentionDays }: Retention): FiledBounds {
  const kept = (name: string) =>
    name === "kept_reports" ? Math.min(reportRetentionDays, retentionDays) : retentionDays;
  return Object.fromEntries(
    Object.entries(tables).map(([name, { count, bytes }]) => [
      name,
      { count, bytes, ageMs: kept(name) * dayMs },
    ]),
  ) as FiledBounds;
}

/** Of releases and hours: only a server can report sessions. They are kept as long as errors. */
const maxSessions = 1_000;

/** Decisions that are kept about groups which are no longer there: one that comes back is resolved or ignored still. */
const maxGoneDecisions = 10_000;

/** Rows that one statement removes: others have their turn after it. */
const batch = 250;

/**
 * Removes rows beyond the bounds, those seen longest ago first, and what nothing has a use for then.
 *
 * @param now the store's clock, as SQL
 * @throws {import("@signpost/relay/store").OutboxError}
 */
export async function pruneRows(
  driver: Pick<Driver, "read" | "transaction" | "dialect">,
  max: FiledBounds = filedBounds,
  now = driver.dialect.now,
): Promise<void> {
  const change = async (statement: Statement) =>
    (await driver.transaction([writerLock(driver.dialect), statement]))[1] ?? [];
  for (const [name, table] of Object.entries(tables) as [TableName, Table][]) {
    const columns = `${table.age}, ${table.key}`;
    const remove = async (where: string, values: readonly Value[]) => {
      const text = `delete from {${name}} where (${columns}) in (select ${columns} from {${name}}
        where ${where} order by ${columns} limit ${batch}) returning 1 as one`;
      let removed = batch;
      while (removed === batch) removed = (await change({ text, values })).length;
    };
    await remove(`${table.age} < ${now} - $1`, [max[name].ageMs]);
    await makeSpace(driver, name, max[name], remove);
  }
  for (const text of unused) await change({ text });
  await change({
    text: `delete from {sessions} where hour < ${now} - $1 or (hour, release) <= (
      select hour, release from {sessions} order by hour desc, release desc
      limit 1 offset ${maxSessions})`,
    values: [max.errors.ageMs],
  });
  await change({
    text: `delete from {group_states} where group_id in (
      select s.group_id from {group_states} as s
      where not exists (select 1 from {error_groups} as g where g.group_id = s.group_id)
      order by s.since desc, s.group_id limit ${maxGoneDecisions} offset ${maxGoneDecisions})`,
  });
}

/**
 * The same for those who can't wait for it: a failure is logged. Never rejects.
 *
 * @param log see `oncePerMinute`
 */
export function pruneLater(
  driver: Driver,
  max: FiledBounds,
  log: DestinationContext["log"],
): Promise<void> {
  return pruneRows(driver, max).catch((error) =>
    log("warn", "filed reports not removed", { cause: String(error) }),
  );
}

/** Rows that no row of another table has a use for. */
const unused = [
  ["error_groups", "group_id", "errors", "group_id"],
  ["error_variants", "id", "errors", "variant_id"],
  ["routes", "route", "measurements", "route"],
  ["stacks", "id", "errors", "stack_id"],
  ["unfiled_items", "report_id", "kept_reports", "report_id"],
].map(
  ([table, key, user, column]) => `delete from {${table}} as t
    where not exists (select 1 from {${user}} as u where u.${column} = t.${key})`,
);

async function makeSpace(
  driver: Pick<Driver, "read">,
  name: TableName,
  max: Used,
  remove: (where: string, values: readonly Value[]) => Promise<void>,
): Promise<void> {
  const { age, key, parts } = tables[name];
  const whole = await usedBy(driver, name, "1 = 1");
  if (whole.count <= max.count && whole.bytes <= max.bytes) return;
  const senders = await largestSenders(driver, name, max);
  const all = await Promise.all(
    [...partsOf(senders, parts), ...partsBeside(senders, parts)].map(async (part) => {
      return { ...part, used: await usedBy(driver, name, part.where) };
    }),
  );
  for (const part of all) {
    const allowed = (of: keyof Used) => {
      const others = all.reduce((sum, one) => sum + (one === part ? 0 : one.used[of]), 0);
      return Math.floor(Math.max(part.share * max[of], max[of] - others));
    };
    const most = { count: allowed("count"), bytes: allowed("bytes") };
    if (part.used.count <= most.count && part.used.bytes <= most.bytes) continue;
    const first = await firstBeyond(driver, name, part.where, most);
    if (!first) continue;
    const values = new Values();
    const these = `${part.where} and (${age}, ${key}) <= (${values.list(first)})`;
    await remove(these, values.all);
    part.used = await usedBy(driver, name, part.where);
  }
}

/** What each of these senders has. */
function partsOf(senders: readonly number[], parts: readonly Part[]): Part[] {
  return senders.flatMap((sender) =>
    parts
      .filter(({ bySender }) => bySender)
      .map(({ where, share }) => ({
        where: `${where} and sender = ${sender}`,
        share: Math.min(share, senderShare),
      })),
  );
}

/** What all others have. */
function partsBeside(senders: readonly number[], parts: readonly Part[]): readonly Part[] {
  if (senders.length === 0) return parts;
  return parts.map((part) => {
    if (!part.bySender) return part;
    const where = `${part.where} and sender not in (${senders.join(", ")})`;
    return { where, share: Math.max(part.share - senderShare * senders.length, 0) };
  });
}

/** Each costs a look at all rows. */
const maxSenders = 8;

/** Those with more than the share of one, the largest. */
async function largestSenders(
  driver: Pick<Driver, "read">,
  name: TableName,
  { count, bytes }: Used,
): Promise<number[]> {
  const found = await driver.read<{ sender: number }>({
    text: `select sender from {${name}} where sender > ${serverSender} group by sender
      having count(*) > $1 or sum(size) > $2 order by sum(size) desc
      limit ${maxSenders}`,
    values: [Math.floor(count * senderShare), Math.floor(bytes * senderShare)],
  });
  return found.map(({ sender }) => sender);
}

type Used = Pick<Bounds, "count" | "bytes">;

async function usedBy(driver: Pick<Driver, "read">, name: string, where: string): Promise<Used> {
  const [found] = await driver.read<Used>({
    text: `select count(*) as count, cast(coalesce(sum(size), 0) as bigint) as bytes
      from {${name}} where ${where}`,
  });
  return found ?? { count: 0, bytes: 0 };
}

/**
 * The newest row that goes, counted from the newest one: so it is the same for several processes that
 * make room at the same time.
 */
async function firstBeyond(
  driver: Pick<Driver, "read">,
  name: TableName,
  where: string,
  { count, bytes }: Used,
): Promise<Value[] | undefined> {
  const { age, key } = tables[name];
  const [found] = await driver.read({
    text: `select ${age}, ${key} from (
        select ${age}, ${key}, row_number() over newest as place, sum(size) over newest as total
        from {${name}} where ${where}
        window newest as (order by ${age} desc, ${key.replaceAll(",", " desc,")} desc
          rows unbounded preceding)
      ) as placed
      where place > $1 or total > $2 order by place limit 1`,
    values: [count, bytes],
  });
  return found && Object.values(found);
}
