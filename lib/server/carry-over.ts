import { highPriorityCategories } from "@/lib/relay/envelope/categories";
import type { Driver } from "@/lib/relay/outbox/driver";

/*
 * Takes over what the version before has stored: reports that wait, and those that its inbox has filed.
 * That version has them in a table `reports`; this one has `outbox` and `kept_reports`. The other tables
 * of the inbox are the same. Of the tables of the version before, nothing is deleted but what was taken
 * over, so servers of both versions can share a store during a rolling deployment, and the version
 * before can be brought back: it does not see what waits in `outbox` meanwhile.
 *
 * This file can be deleted, with its test and the tables `reports`, `filings`, `unresolved` and `totals`,
 * when every store has seen a start of this version: at the latest 30 days after its release.
 */

/** What the tables are called, and what differs between the engines. */
interface Earlier {
  exists: string;
  /** Of a report that no server of the version before has in hand. */
  isFree(now: number): string;
  server: string;
  attempts: string;
  /** Keeps the sums of the version before right, for the reports of a condition. */
  uncounted: ((where: string) => string) | undefined;
}

const earlier: Record<Driver["dialect"]["engine"], Earlier> = {
  sqlite: {
    exists: `select (select count(*) from sqlite_master where name = 'reports') as reports,
      (select count(*) from sqlite_master where name = 'filings') as filings`,
    isFree: () => "1 = 1",
    server: "null",
    attempts: "0",
    uncounted: undefined,
  },
  postgres: {
    exists: `select count(to_regclass('{reports}')) as reports,
      count(to_regclass('{filings}')) as filings`,
    isFree: (now) => `(r.claimed_by is null or r.free_at <= ${now})`,
    server: "r.server",
    attempts: "r.failures",
    uncounted: (where) => `update {totals} as t set important = t.important + s.important,
        others = t.others + s.others, bytes = t.bytes + s.bytes
      from (select count(*) filter (where not r.expendable) as important,
        count(*) filter (where r.expendable) as others, coalesce(sum(r.size), 0) as bytes
        from {reports} as r where ${where}) as s where t.side = 'out'`,
  },
};

/** Reports in one transaction, and about how many bytes of them. */
const batch = { reports: 100, bytes: 4 * 1024 * 1024 };
/** The server that took a report delivers it, and knows the source of its own errors, for so long. */
const ownMs = 60_000;
/** What a report counts beside its envelope, see lib/relay/outbox/capacity.ts. */
const rowBytes = 1024;

/**
 * Takes over what there is, in batches. Does nothing where the version before has stored nothing.
 *
 * @param keepsReports whether there is an inbox, with a table of reports that it keeps
 * @throws {import("@/lib/relay/outbox/driver").OutboxError}
 */
export async function carryOver(driver: Driver, keepsReports: boolean): Promise<void> {
  const { exists } = earlier[driver.dialect.engine];
  const [found] = await driver.read<{ reports: number; filings: number }>({ text: exists });
  if (!found?.reports) return;
  while (await carrySome(driver, keepsReports, found.filings > 0)) {
    // There may be more.
  }
}

async function carrySome(driver: Driver, keepsReports: boolean, hasFilings: boolean) {
  const { engine, now: clock, forUpdate } = driver.dialect;
  const { isFree, server, attempts, uncounted } = earlier[engine];
  const [time] = await driver.read<{ now: number }>({ text: `select ${clock} as now` });
  const now = time?.now ?? 0;
  const filing = (done: 0 | 1) =>
    `exists (select 1 from {filings} as f where f.report_id = r.id and f.done = ${done}
      ${done === 0 ? `and f.free_at > ${now}` : ""})`;
  const filed = hasFilings ? filing(1) : "1 = 0";
  const inHandOfFiler = hasFilings ? filing(0) : "1 = 0";
  const isOld = `(r.received_at <= ${now - ownMs} or r.received_at > ${now})`;
  const isReady = `${isFree(now)} and (${filed} or (${isOld} and not (${inHandOfFiler})))`;
  const few = await driver.read<{ id: number }>({
    text: `select id from (
        select id, sum(length(envelope)) over (order by id) - length(envelope) as before from (
          select r.id, r.envelope from {reports} as r where ${isReady}
          order by r.id limit ${batch.reports}) as oldest) as summed
      where before < ${batch.bytes}`,
  });
  if (few.length === 0) return false;
  const these = `r.id in (${few.map(({ id }) => id).join(", ")}) and ${isReady}`;
  const low = `case when (r.categories & ${highPriorityCategories}) = 0 then 1 else 0 end`;
  const sender = "case when r.origin = 'server' then 1 else 0 end";
  const size = `length(r.envelope) + ${rowBytes}`;
  const texts = [
    `select r.id from {reports} as r where ${these} ${forUpdate}`,
    `insert into {outbox} (received_at, server, origin, low, categories, sender, size, attempts,
        client_address, envelope)
      select r.received_at, ${server}, r.origin, ${low}, r.categories, ${sender}, ${size}, ${attempts},
        r.client_address, r.envelope
      from {reports} as r where ${these} and not (${filed}) order by r.id`,
    ...(keepsReports
      ? [
          `insert into {kept_reports} (report_id, kept_at, low, origin, server, size, categories, envelope)
            select r.id, r.received_at, ${low}, r.origin, ${server}, ${size}, r.categories, r.envelope
            from {reports} as r where ${these} and ${filed} on conflict do nothing`,
        ]
      : []),
    ...(uncounted ? [uncounted(these)] : []),
    `delete from {reports} where id in (select r.id from {reports} as r where ${these})`,
  ];
  await driver.transaction(texts.map((text) => ({ text })));
  return true;
}
