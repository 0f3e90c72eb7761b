import {
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { StoredReport } from "@/lib/outbox/outbox";
import { openOutbox } from "@/tests/support/outboxes";
import { errorEnvelope, eventId } from "@/tests/support/sdk-envelopes";

const all = { after: 0, limit: 20_000 };

function idsIn(reports: StoredReport[]): string[] {
  return reports.map(({ envelope }) => {
    const text = Buffer.from(envelope).toString();
    return JSON.parse(text.slice(0, text.indexOf("\n"))).event_id;
  });
}

function setAside(file: string): string[] {
  return readdirSync(dirname(file)).filter((name) => /\.damaged-\w+$/.test(name));
}

describe("a damaged outbox", () => {
  it("is set aside and logged, and a new one takes its place", async () => {
    const { outbox, file, lines } = openOutbox();
    const nonsense = "this is no database, ".repeat(500);
    writeFileSync(file, nonsense);
    await outbox.append(errorEnvelope(), "browser");
    expect(await outbox.stats()).toMatchObject({ writable: true, waiting: 1 });
    const [aside = ""] = setAside(file);
    expect(readFileSync(`${dirname(file)}/${aside}`, "utf8")).toBe(nonsense);
    expect(lines).toEqual([
      {
        level: "error",
        event: "outbox file damaged",
        fields: {
          cause: "SqliteError: file is not a database",
          renamedTo: `${dirname(file)}/${aside}`,
        },
      },
    ]);
  });

  it("is found at the start if a page in the midst is broken", async () => {
    const first = openOutbox();
    const ids = Array.from({ length: 300 }, eventId);
    await Promise.all(ids.map((id) => first.outbox.append(errorEnvelope(id), "browser")));
    await first.outbox.close();
    const bytes = readFileSync(first.file);
    const at = bytes.indexOf(ids[150] ?? "");
    bytes.fill(0xff, Math.floor(at / 4096) * 4096, (Math.floor(at / 4096) + 1) * 4096);
    writeFileSync(first.file, bytes);
    const { outbox, stored } = openOutbox({ file: first.file });
    const id = eventId();
    await outbox.append(errorEnvelope(id), "browser");
    expect(idsIn(stored())).toEqual([id]);
    expect(setAside(first.file)).toHaveLength(1);
  });

  it("is set aside while it is open if it loses its end", async () => {
    const { outbox, file, stored } = openOutbox();
    const append = () => outbox.append(errorEnvelope(), "browser");
    await append();
    const checkpoint = new Database(file);
    checkpoint.pragma("wal_checkpoint(TRUNCATE)");
    checkpoint.close();
    truncateSync(file, 100);
    for (let n = 0; n < 3; n++) await append();
    expect(stored().length).toBeGreaterThanOrEqual(3);
  });

  it("does not take ids of reports that were in it for new ones", async () => {
    const first = openOutbox();
    await first.outbox.append(errorEnvelope(), "browser");
    const [before] = first.stored();
    await first.outbox.close();
    truncateSync(first.file, 5000);
    const { outbox, clock, stored } = openOutbox({ file: first.file });
    clock.now += 1;
    await outbox.append(errorEnvelope(), "browser");
    expect(setAside(first.file)).toHaveLength(1);
    expect(stored()[0]?.id).toBeGreaterThan(before?.id ?? Number.POSITIVE_INFINITY);
  });
});

describe("an outbox whose file is gone", () => {
  it("goes on with a new file when the file is deleted, and says so", async () => {
    const { outbox, file, lines, stored } = openOutbox();
    await outbox.append(errorEnvelope(), "browser");
    for (const name of readdirSync(dirname(file))) rmSync(`${dirname(file)}/${name}`);
    const id = eventId();
    await outbox.append(errorEnvelope(id), "browser");
    expect(idsIn(stored())).toEqual([id]);
    expect(lines).toEqual([{ level: "error", event: "outbox file replaced", fields: { file } }]);
  });

  it("goes on with the new file when another process has set the old one aside", async () => {
    const { outbox, file, stored } = openOutbox();
    await outbox.append(errorEnvelope(), "browser");
    for (const part of ["", "-wal", "-shm"]) renameSync(file + part, `${file}.aside${part}`);
    const { outbox: other } = openOutbox({ file });
    await other.append(errorEnvelope(), "browser");
    await outbox.append(errorEnvelope(), "browser");
    expect(stored()).toHaveLength(2);
  });

  it("is noticed when nothing but claims uses it", async () => {
    const { outbox, file, clock } = openOutbox();
    const request = { limit: 10, without: 0, failedLast: false };
    await outbox.append(errorEnvelope(), "browser");
    const [first] = await outbox.claim(request);
    await outbox.ack(first?.id ?? 0, "delivered");
    for (const part of ["", "-wal", "-shm"]) renameSync(file + part, `${file}.aside${part}`);
    const { outbox: other } = openOutbox({ file, clock });
    clock.now += 250;
    await other.append(errorEnvelope(), "browser");
    expect(await outbox.claim(request)).toHaveLength(1);
  });

  it.each(["delivered", "send_error"] as const)(
    "removes none of the new file's reports for one of the old file that was %s",
    async (outcome) => {
      const { outbox, file, clock, stored } = openOutbox();
      await outbox.append(errorEnvelope(), "browser");
      const [claimed] = await outbox.claim({ limit: 1, without: 0, failedLast: false });
      for (const part of ["", "-wal", "-shm"]) renameSync(file + part, `${file}.aside${part}`);
      const { outbox: other } = openOutbox({ file, clock });
      await other.append(errorEnvelope(), "browser");
      expect(stored().map(({ id }) => id)).toEqual([claimed?.id]);
      await outbox.ack(claimed?.id ?? 0, outcome);
      expect(stored()).toHaveLength(1);
    },
  );

  it("gives no report out twice under one id, although a claim of the old file still runs", async () => {
    const { outbox, file, clock } = openOutbox();
    const request = { limit: 10, without: 0, failedLast: false };
    await outbox.append(errorEnvelope(), "browser");
    const [claimed] = await outbox.claim(request);
    for (const part of ["", "-wal", "-shm"]) renameSync(file + part, `${file}.aside${part}`);
    const { outbox: other } = openOutbox({ file, clock });
    await other.append(errorEnvelope(), "browser");
    clock.now += 250;
    expect(await outbox.claim(request)).toEqual([]);
    await outbox.ack(claimed?.id ?? 0, "delivered");
    await outbox.expire(0);
    expect(await outbox.claim(request)).toHaveLength(1);
  });

  it("claims reports of the file that is there now, whatever their ids", async () => {
    const { outbox, file, clock } = openOutbox();
    const request = { limit: 10, without: 0, failedLast: false };
    await outbox.append(errorEnvelope(), "browser");
    const [first] = await outbox.claim(request);
    const folder = dirname(file);
    renameSync(folder, `${folder}.away`);
    clock.now += 1;
    await expect(outbox.append(errorEnvelope(), "browser")).resolves.toBeUndefined();
    expect(await outbox.claim(request)).toHaveLength(1);
    rmSync(folder, { recursive: true });
    renameSync(`${folder}.away`, folder);
    await outbox.append(errorEnvelope(), "browser");
    const [back] = await outbox.claim(request);
    expect(back?.id).toBe((first?.id ?? 0) + 1);
  });
});

describe("an outbox that can't be written", () => {
  it("waits for another process that holds the file for a moment", async () => {
    const { outbox, file } = openOutbox();
    await outbox.append(errorEnvelope(), "browser");
    const other = new Database(file);
    onTestFinished(() => {
      other.close();
    });
    other.exec("BEGIN IMMEDIATE");
    const began = performance.now();
    const appended = outbox.append(errorEnvelope(), "browser");
    const settled = vi.fn();
    void appended.then(settled);
    // Past its first attempts.
    await vi.waitFor(() => expect(performance.now()).toBeGreaterThan(began + 50));
    expect(settled).not.toHaveBeenCalled();
    other.exec("COMMIT");
    await appended;
    expect((await outbox.stats()).waiting).toBe(2);
  });

  it("refuses after a while where the other one doesn't let go, and stays usable", async () => {
    const { outbox, file } = openOutbox();
    await outbox.append(errorEnvelope(), "browser");
    const other = new Database(file);
    onTestFinished(() => {
      other.close();
    });
    other.exec("BEGIN IMMEDIATE");
    await expect(outbox.append(errorEnvelope(), "browser")).rejects.toMatchObject({
      name: "OutboxError",
      fault: "busy",
    });
    expect(await outbox.stats()).toMatchObject({ writable: false });
    other.exec("ROLLBACK");
    await expect.poll(() => outbox.stats()).toMatchObject({ writable: true });
    await outbox.append(errorEnvelope(), "browser");
    expect(await outbox.stats()).toMatchObject({ writable: true, waiting: 2 });
  });

  it("refuses and says so when the disk is full, and recovers when it isn't", async () => {
    const { outbox, stored, lines, limitDisk } = openOutbox();
    const large = Buffer.concat([
      Buffer.from('{}\n{"type":"attachment"}\n'),
      Buffer.alloc(100_000, "x"),
    ]);
    await outbox.append(errorEnvelope(), "browser");
    limitDisk(20);
    await expect(outbox.append(large, "browser")).rejects.toMatchObject({
      name: "OutboxError",
      fault: "full",
    });
    expect(await outbox.stats()).toMatchObject({ writable: false, waiting: 1 });
    limitDisk(1_000_000);
    await outbox.append(large, "browser");
    expect(await outbox.stats()).toMatchObject({ writable: true, waiting: 2 });
    expect(lines.map(({ level, event }) => [level, event])).toEqual([
      ["error", "outbox can't be written"],
      ["info", "outbox can be written again"],
    ]);
    expect(stored()).toHaveLength(2);
  });

  it("doesn't take room for a line for room for reports", async () => {
    const { outbox, lines, limitDisk } = openOutbox();
    await outbox.append(errorEnvelope(), "browser");
    limitDisk(10);
    const large = Buffer.from(`{}\n{"type":"attachment"}\n${"x".repeat(100_000)}`);
    await expect(outbox.append(large, "browser")).rejects.toMatchObject({ fault: "full" });
    await outbox.setNote("a", "line");
    expect(await outbox.stats()).toMatchObject({ writable: false });
    // Those stats have begun to try; this either shares the attempt's transaction or follows it.
    await outbox.setNote("another", "line").catch(() => {});
    expect(await outbox.stats()).toMatchObject({ writable: false });
    expect(lines.map(({ event }) => event)).toEqual(["outbox can't be written"]);
    limitDisk(1_000_000);
    await expect.poll(() => outbox.stats()).toMatchObject({ writable: true });
  });

  it("finds out by itself that it can be written again", async () => {
    const { outbox, limitDisk } = openOutbox();
    await outbox.append(errorEnvelope(), "browser");
    limitDisk(1);
    const large = Buffer.from(`{}\n{"type":"attachment"}\n${"x".repeat(100_000)}`);
    await expect(outbox.append(large, "browser")).rejects.toMatchObject({ fault: "full" });
    expect(await outbox.stats()).toMatchObject({ writable: false });
    limitDisk(1_000_000);
    await expect.poll(() => outbox.stats()).toMatchObject({ writable: true });
  });

  it("refuses while its folder is no folder, and works once it is one", async () => {
    const { outbox, file, clock } = openOutbox();
    rmSync(dirname(file), { recursive: true });
    writeFileSync(dirname(file), "in the way");
    await expect(outbox.append(errorEnvelope(), "browser")).rejects.toMatchObject({
      name: "OutboxError",
      fault: "unwritable",
    });
    await expect(outbox.list(all)).rejects.toThrow("can't be used");
    expect(await outbox.stats()).toMatchObject({ writable: false, waiting: 0 });
    rmSync(dirname(file));
    clock.now += 1000;
    await outbox.append(errorEnvelope(), "browser");
    expect(await outbox.stats()).toMatchObject({ writable: true, waiting: 1 });
  });

  it("works again a second later although the clock was set back", async () => {
    const { outbox, file, clock } = openOutbox();
    rmSync(dirname(file), { recursive: true });
    writeFileSync(dirname(file), "in the way");
    await expect(outbox.append(errorEnvelope(), "browser")).rejects.toThrow("can't be used");
    rmSync(dirname(file));
    clock.setBy = -3_600_000;
    clock.now += 1000;
    await expect(outbox.append(errorEnvelope(), "browser")).resolves.toBeUndefined();
  });

  it("says that it can't tell which file it has when that is so, and keeps the file", async () => {
    const { outbox, file, lines } = openOutbox();
    await outbox.append(errorEnvelope(), "browser");
    const folder = dirname(file);
    renameSync(folder, `${folder}.away`);
    symlinkSync(folder, folder);
    await expect(outbox.append(errorEnvelope(), "browser")).rejects.toMatchObject({
      fault: "unwritable",
    });
    rmSync(folder);
    renameSync(`${folder}.away`, folder);
    await outbox.append(errorEnvelope(), "browser");
    expect(lines.map(({ event }) => event)).not.toContain("outbox file replaced");
    expect(await outbox.stats()).toMatchObject({ waiting: 2 });
  });
});
