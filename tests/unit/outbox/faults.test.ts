import {
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { openOutbox } from "@/tests/support/outboxes";
import { errorEnvelope, eventId } from "@/tests/support/sdk-envelopes";

const all = { after: 0, limit: 20_000 };

/** A file with so many reports in it and no process at work on it. */
async function filled(count: number) {
  const { outbox, file } = openOutbox();
  const ids = Array.from({ length: count }, eventId);
  await Promise.all(ids.map((id) => outbox.append(errorEnvelope(id), "browser")));
  outbox.close();
  return { file, ids };
}

function idsIn(outbox: ReturnType<typeof openOutbox>["outbox"]): string[] {
  return outbox.list(all).map(({ envelope }) => {
    const text = Buffer.from(envelope).toString();
    return JSON.parse(text.slice(0, text.indexOf("\n"))).event_id;
  });
}

function keptAside(file: string): string[] {
  return readdirSync(dirname(file)).filter((name) => /\.damaged-\w+$/.test(name));
}

describe("an outbox that was damaged", () => {
  it("keeps a file that is none of SQLite's, and begins a new one", async () => {
    const { outbox, file, lines } = openOutbox();
    const nonsense = "this is no database, ".repeat(500);
    writeFileSync(file, nonsense);
    await outbox.append(errorEnvelope(), "browser");
    expect(outbox.stats()).toMatchObject({ writable: true, waiting: 1 });
    const [aside = ""] = keptAside(file);
    expect(readFileSync(`${dirname(file)}/${aside}`, "utf8")).toBe(nonsense);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: "error", event: "outbox damaged" }),
    );
  });

  it("saves what can be read of a truncated file", async () => {
    const { file, ids } = await filled(300);
    truncateSync(file, Math.floor(readFileSync(file).length / 4096 / 2) * 4096);
    const { outbox, lines } = openOutbox({ file });
    await outbox.append(errorEnvelope(), "browser");
    const saved = idsIn(outbox).slice(0, -1);
    expect(saved.length).toBeGreaterThan(20);
    expect(ids).toEqual(expect.arrayContaining(saved));
    expect(keptAside(file)).toHaveLength(1);
    const told = lines.find(({ event }) => event === "outbox damaged");
    expect(told?.fields).toMatchObject({ saved: saved.length });
  });

  it("saves what lies before and after a broken page", async () => {
    const { file, ids } = await filled(300);
    const bytes = readFileSync(file);
    const at = bytes.indexOf(ids[150] ?? "");
    bytes.fill(0xff, Math.floor(at / 4096) * 4096, (Math.floor(at / 4096) + 1) * 4096);
    writeFileSync(file, bytes);
    const { outbox } = openOutbox({ file });
    const saved = idsIn(outbox);
    expect(saved).toContain(ids[0]);
    expect(saved).toContain(ids[299]);
    expect(saved.length).toBeGreaterThan(250);
    expect(saved.length).toBeLessThan(300);
  });

  it("starts over when its file loses its end while it is open", async () => {
    const { outbox, file } = openOutbox();
    const append = () => outbox.append(errorEnvelope(), "browser");
    await append();
    const checkpoint = new Database(file);
    checkpoint.pragma("wal_checkpoint(TRUNCATE)");
    checkpoint.close();
    truncateSync(file, 100);
    for (let n = 0; n < 3; n++) await append();
    outbox.close();
    expect(openOutbox({ file }).outbox.stats().waiting).toBeGreaterThanOrEqual(3);
  });

  it("carries its reports over when its file is deleted under it", async () => {
    const { outbox, file, lines } = openOutbox();
    const [first, second] = [eventId(), eventId()];
    await outbox.append(errorEnvelope(first), "browser");
    for (const name of readdirSync(dirname(file))) rmSync(`${dirname(file)}/${name}`);
    await outbox.append(errorEnvelope(second), "browser");
    outbox.close();
    expect(idsIn(openOutbox({ file }).outbox)).toEqual([first, second]);
    expect(lines).toContainEqual(expect.objectContaining({ event: "outbox file replaced" }));
  });

  it("writes to the new file when another process has set the old one aside", async () => {
    const { outbox, file } = openOutbox();
    await outbox.append(errorEnvelope(), "browser");
    for (const part of ["", "-wal", "-shm"]) renameSync(file + part, `${file}.aside${part}`);
    const { outbox: other } = openOutbox({ file });
    await other.append(errorEnvelope(), "browser");
    await outbox.append(errorEnvelope(), "browser");
    expect(other.stats().waiting).toBe(2);
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
    const appended = outbox.append(errorEnvelope(), "browser");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(outbox.stats().waiting).toBe(1);
    other.exec("COMMIT");
    await appended;
    expect(outbox.stats().waiting).toBe(2);
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
    expect(outbox.stats()).toMatchObject({ writable: false, fault: "busy" });
    other.exec("ROLLBACK");
    await expect.poll(() => outbox.stats().writable).toBe(true);
    await outbox.append(errorEnvelope(), "browser");
    expect(outbox.stats()).toMatchObject({ writable: true, waiting: 2 });
  });

  it("refuses and says so when the disk is full, and recovers when it isn't", async () => {
    const { outbox, file, lines, limitDisk } = openOutbox();
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
    expect(outbox.stats()).toMatchObject({ writable: false, fault: "full", waiting: 1 });
    limitDisk(1_000_000);
    await outbox.append(large, "browser");
    expect(outbox.stats()).toMatchObject({ writable: true, fault: undefined, waiting: 2 });
    expect(lines.map(({ level, event }) => [level, event])).toEqual([
      ["error", "outbox can't be written"],
      ["info", "outbox can be written again"],
    ]);
    expect(openOutbox({ file }).outbox.stats().waiting).toBe(2);
  });

  it("doesn't take room for a line for room for reports", async () => {
    const { outbox, lines, limitDisk } = openOutbox();
    await outbox.append(errorEnvelope(), "browser");
    limitDisk(10);
    const large = Buffer.from(`{}\n{"type":"attachment"}\n${"x".repeat(100_000)}`);
    await expect(outbox.append(large, "browser")).rejects.toMatchObject({ fault: "full" });
    await outbox.setNote("a", "line");
    expect(outbox.stats()).toMatchObject({ writable: false, fault: "full" });
    // Those stats have begun to try; this either shares the attempt's transaction or follows it.
    await outbox.setNote("another", "line").catch(() => {});
    expect(outbox.stats()).toMatchObject({ writable: false, fault: "full" });
    expect(lines.map(({ event }) => event)).toEqual(["outbox can't be written"]);
    limitDisk(1_000_000);
    await expect.poll(() => outbox.stats().writable).toBe(true);
  });

  it("finds out by itself that it can be written again", async () => {
    const { outbox, limitDisk } = openOutbox();
    await outbox.append(errorEnvelope(), "browser");
    limitDisk(1);
    const large = Buffer.from(`{}\n{"type":"attachment"}\n${"x".repeat(100_000)}`);
    await expect(outbox.append(large, "browser")).rejects.toMatchObject({ fault: "full" });
    expect(outbox.stats().writable).toBe(false);
    limitDisk(1_000_000);
    await expect.poll(() => outbox.stats().writable).toBe(true);
  });

  it("refuses while its folder is no folder, and works once it is one", async () => {
    const { outbox, file, clock } = openOutbox();
    rmSync(dirname(file), { recursive: true });
    writeFileSync(dirname(file), "in the way");
    await expect(outbox.append(errorEnvelope(), "browser")).rejects.toMatchObject({
      name: "OutboxError",
      fault: "unwritable",
    });
    expect(() => outbox.list(all)).toThrow("can't be used");
    expect(outbox.stats()).toMatchObject({ writable: false, fault: "unwritable", waiting: 0 });
    rmSync(dirname(file));
    clock.now += 1000;
    await outbox.append(errorEnvelope(), "browser");
    expect(outbox.stats()).toMatchObject({ writable: true, waiting: 1 });
  });
});
