import type * as fs from "node:fs";
import Database from "better-sqlite3";
import { expect, it, vi } from "vitest";
import { openOutbox } from "@/tests/support/outboxes";
import { errorEnvelope } from "@/tests/support/sdk-envelopes";

type Synced = (error: NodeJS.ErrnoException | null) => void;

/** The syncs that the disk has not ended yet. */
const syncs = vi.hoisted((): Synced[] => []);

// No disk here fails when it syncs.
vi.mock("node:fs", async (original) => ({
  ...(await original<typeof fs>()),
  fdatasync: (_descriptor: number, synced: Synced) => void syncs.push(synced),
}));

it("is not ready again before the disk has taken a report, and reads the file through once", async () => {
  const pragma = vi.spyOn(Database.prototype, "pragma");
  const { outbox, lines } = openOutbox();
  const broken = Object.assign(new Error("i/o error"), { code: "EIO" });
  for (let times = 0; times < 2; times++) {
    const appended = outbox.append(errorEnvelope(), "browser").catch(({ message }) => message);
    await vi.waitFor(() => expect(syncs).toHaveLength(1));
    if (times > 0) expect(await outbox.stats()).toMatchObject({ writable: false });
    syncs.pop()?.(broken);
    expect(await appended).toBe("Writing to the disk failed.");
    if (times === 0) expect(await outbox.stats()).toMatchObject({ writable: false });
  }
  await vi.waitFor(() => {
    while (syncs.length > 0) syncs.pop()?.(null);
    expect(lines.at(-1)?.event).toBe("outbox can be written again");
  });
  expect(lines.filter(({ level }) => level === "error")).toHaveLength(1);
  const given = pragma.mock.calls.map(([text]) => text);
  expect(given.filter((text) => text === "journal_mode = WAL").length).toBeGreaterThan(1);
  expect(given.filter((text) => text.startsWith("quick_check"))).toHaveLength(1);
});
