import { describe, expect, it } from "vitest";
import { categorySet } from "@/lib/relay/envelope/categories";
import { carryOver } from "@/lib/server/carry-over";
import { claimAll, engines, type Opened } from "@/tests/support/outboxes";
import { errorEnvelope, eventId, transactionEnvelope } from "@/tests/support/sdk-envelopes";

/** The tables of the version before, as far as they are read, in the words of each engine. */
const tables: Record<string, (table: (name: string) => string) => string> = {
  SQLite: () => `
    create table reports (
      id integer primary key autoincrement, received_at integer not null, origin text not null,
      categories integer not null, client_address text, envelope blob not null,
      sender integer not null default 0
    ) strict;
    create table filings (
      report_id integer primary key, claimed_by text, free_at integer not null,
      done integer not null, fault text
    ) strict;`,
  Postgres: (table) => `
    create table ${table("reports")} (
      id bigint primary key, received_at bigint not null, server text not null, origin text not null,
      categories integer not null, expendable boolean not null, client_address text,
      size integer not null, envelope bytea not null, claimed_by uuid,
      free_at bigint not null default 0, failures integer not null default 0,
      sender bigint not null default 0
    );
    create table ${table("totals")} (
      side text primary key, last_id bigint not null default 0, important bigint not null default 0,
      others bigint not null default 0, bytes bigint not null default 0
    );
    insert into ${table("totals")} (side) values ('in'), ('out');
    create table ${table("filings")} (
      report_id bigint primary key, claimed_by text, free_at bigint not null,
      done integer not null, fault text
    );`,
};

interface EarlierReport {
  id: number;
  envelope: Buffer;
  ageMs?: number;
  category?: "error" | "transaction";
  /** Of Postgres: a server of the version before delivers it. */
  isClaimed?: boolean;
  filing?: "done" | "under way";
}

/** A store of the version before with these reports, opened by this version. */
async function upgraded(engine: string, open: () => Opened, reports: EarlierReport[]) {
  const opened = open();
  await opened.outbox.stats();
  await opened.run(tables[engine] ?? (() => ""));
  for (const report of reports) {
    const { id, envelope, ageMs = 120_000, category = "error" } = report;
    const at = Date.now() - ageMs;
    const set = categorySet([category]);
    const hex = envelope.toString("hex");
    await opened.run((table) =>
      engine === "SQLite"
        ? `insert into reports (id, received_at, origin, categories, client_address, envelope)
            values (${id}, ${at}, 'browser', ${set}, '192.0.2.1', x'${hex}')`
        : `insert into ${table("reports")} (id, received_at, server, origin, categories, expendable,
              client_address, size, envelope, claimed_by, free_at, failures)
            values (${id}, ${at}, 'one', 'browser', ${set}, ${category !== "error"}, '192.0.2.1',
              ${envelope.length + 1024}, '\\x${hex}', ${report.isClaimed ? "gen_random_uuid()" : "null"},
              ${report.isClaimed ? Date.now() + 45_000 : 0}, 3)`,
    );
    if (!report.filing) continue;
    const done = report.filing === "done" ? 1 : 0;
    await opened.run(
      (table) =>
        `insert into ${table("filings")} (report_id, free_at, done)
          values (${id}, ${Date.now() + 30_000}, ${done})`,
    );
  }
  const left = async () =>
    (
      await opened.driver.read<{ id: number }>({ text: "select id from {reports} order by id" })
    ).map(({ id }) => id);
  return { ...opened, left };
}

describe.each(engines)("what the version before has stored in %s", (engine, open) => {
  it("is delivered by this one, errors first, each once", async () => {
    const [error, transaction] = [errorEnvelope(), transactionEnvelope()];
    const { outbox, driver, left } = await upgraded(engine, open, [
      { id: 1, envelope: transaction, category: "transaction" },
      { id: 2, envelope: error },
    ]);
    await Promise.all([carryOver(driver, true), carryOver(driver, true)]);
    const claimed = await claimAll(outbox);
    expect(claimed.map(({ envelope }) => Buffer.from(envelope))).toEqual([error, transaction]);
    expect(claimed[0]).toMatchObject({ origin: "browser", clientAddress: "192.0.2.1" });
    expect(claimed[0]?.id).toBeGreaterThan(2);
    expect(await left()).toEqual([]);
  });

  it("is kept by the inbox, under its id, where it was filed", async () => {
    const envelope = errorEnvelope();
    const { outbox, driver, left } = await upgraded(engine, open, [
      { id: 7, envelope, filing: "done" },
    ]);
    await carryOver(driver, true);
    const kept = await driver.read<{ report_id: number; low: number; envelope: Uint8Array }>({
      text: "select report_id, low, envelope from {kept_reports}",
    });
    expect(kept).toMatchObject([{ report_id: 7, low: 0 }]);
    expect(Buffer.from(kept[0]?.envelope ?? [])).toEqual(envelope);
    expect([await left(), await claimAll(outbox)]).toEqual([[], []]);
  });

  it("stays where a server of that version may still have it in hand", async () => {
    const { driver, left } = await upgraded(engine, open, [
      { id: 1, envelope: errorEnvelope(), ageMs: 30_000 },
      { id: 2, envelope: errorEnvelope(), filing: "under way" },
      ...(engine === "Postgres" ? [{ id: 3, envelope: errorEnvelope(), isClaimed: true }] : []),
    ]);
    await carryOver(driver, true);
    expect(await left()).toEqual(engine === "Postgres" ? [1, 2, 3] : [1, 2]);
  });

  it("is carried over whole, however much it is", async () => {
    const reports = Array.from({ length: 120 }, (_, n) => ({
      id: n + 1,
      envelope: errorEnvelope(eventId(), "x".repeat(n % 50 === 0 ? 1_000_000 : 10)),
    }));
    const { outbox, driver, left } = await upgraded(engine, open, reports);
    await carryOver(driver, true);
    expect(await left()).toEqual([]);
    const claimed = (await claimAll(outbox)).map(({ envelope }) => Buffer.from(envelope));
    expect(claimed).toEqual(reports.map(({ envelope }) => envelope));
  });

  it("is nothing in a new store", async () => {
    const { driver } = open();
    await expect(carryOver(driver, true)).resolves.toBeUndefined();
  });
});

it.each(engines.slice(1))(
  "the sums of the version before stay right in %s",
  async (engine, open) => {
    const { driver } = await upgraded(engine, open, [
      { id: 1, envelope: errorEnvelope() },
      { id: 2, envelope: transactionEnvelope(), category: "transaction" },
      { id: 3, envelope: errorEnvelope(), ageMs: 0 },
    ]);
    const [all] = await driver.read<{ bytes: number }>({
      text: "select sum(size) as bytes from {reports} where id < 3",
    });
    await carryOver(driver, true);
    expect(
      await driver.read({
        text: "select important, others, bytes from {totals} where side = 'out'",
      }),
    ).toEqual([{ important: 1, others: 1, bytes: all?.bytes }]);
  },
);
