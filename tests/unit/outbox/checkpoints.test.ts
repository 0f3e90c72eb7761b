import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { openOutbox } from "@/tests/support/outboxes";
import { envelopeOf } from "@/tests/support/sdk-envelopes";

const pageBytes = 4096;
/** Of ten pages. */
const large = envelopeOf({}, [{ type: "attachment" }, Buffer.alloc(10 * pageBytes)]);
const all = { after: 0, limit: 1000 };

describe("checkpoints", () => {
  it("copy the log into the database and restart it, while the process goes on writing", async () => {
    const { outbox, file, lines } = openOutbox();
    const append = () => outbox.append(large, "browser");
    await Promise.all(Array.from({ length: 250 }, append));
    let count = 250;
    for (; (await outbox.note("checkpoint")) === undefined; count++) await append();
    expect(statSync(file).size).toBeGreaterThan(1000 * pageBytes);
    await append();
    const logged = statSync(`${file}-wal`).size;
    await Promise.all(Array.from({ length: 50 }, append));
    expect(statSync(`${file}-wal`).size).toBe(logged);
    expect(await outbox.list(all)).toHaveLength(count + 51);
    expect(lines).toEqual([]);
  });

  it("end though nothing is written after them", async () => {
    const { outbox } = openOutbox();
    await Promise.all(Array.from({ length: 250 }, () => outbox.append(large, "browser")));
    await expect.poll(() => outbox.note("checkpoint")).toBe("");
  });

  it("don't disturb writing if they fail", async () => {
    const { outbox, file, lines } = openOutbox();
    await outbox.append(large, "browser");
    const other = new Database(file);
    other.exec("DROP TABLE notes");
    other.close();
    await Promise.all(Array.from({ length: 250 }, () => outbox.append(large, "browser")));
    while (lines.length === 0) await outbox.append(large, "browser");
    const fields = { cause: "SqliteError: no such table: notes" };
    expect(lines).toEqual([{ level: "warn", event: "outbox not checkpointed", fields }]);
    await outbox.append(large, "browser");
  });
});
