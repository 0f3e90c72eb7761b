import { execFileSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Outbox } from "@/packages/relay/src/outbox/outbox";
import { toOutboxError } from "@/packages/relay/src/outbox/sqlite-statements";
import { claimAll, openOutbox, statsOf, taken, temporaryFolder } from "@/tests/support/outboxes";
import { errorEnvelope } from "@/tests/support/sdk-envelopes";

/** A disk of 60 MB. @returns its folder; undefined where this user may not mount one */
function mountDisk(): string | undefined {
  const folder = temporaryFolder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=60m", "none", folder], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync("umount", ["-l", folder]));
  return folder;
}

const append = (outbox: Outbox) =>
  outbox.append(errorEnvelope(undefined, "x".repeat(500_000)), "server");

/** @returns how many were taken until the disk was too full for more */
async function appendMany(outbox: Outbox): Promise<number> {
  for (let n = 0; ; n++) {
    const error = await append(outbox).then(
      () => undefined,
      (reason) => reason,
    );
    if (!error) continue;
    expect(error).toMatchObject({ fault: "full" });
    return n;
  }
}

/** Writes until the disk is full, as another program does. @returns its file */
function fill(folder: string): string {
  const file = join(folder, "stranger");
  const handle = openSync(file, "w");
  for (const bytes of [1_000_000, 4096, 1]) {
    try {
      for (;;) writeSync(handle, Buffer.alloc(bytes));
    } catch {
      // Smaller parts may still fit.
    }
  }
  closeSync(handle);
  return file;
}

/** @returns how many reports were delivered */
async function deliver(outbox: Outbox): Promise<number> {
  let delivered = 0;
  for (;;) {
    const claimed = await outbox.claim({ limit: 16, without: 0 });
    if (claimed.length === 0) return delivered;
    await Promise.all(claimed.map((report) => outbox.acknowledge(report, taken)));
    delivered += claimed.length;
  }
}

describe("a disk that gets full", { timeout: 60_000 }, () => {
  it("by reports takes no more in time, and all go out that it has taken", async ({ skip }) => {
    const folder = mountDisk() ?? skip("This user may not mount a disk of its own.");
    const file = join(folder, "outbox.db");
    const first = openOutbox({ file });
    let accepted = await appendMany(first.outbox);
    expect(accepted).toBeGreaterThan(20);
    const reason = expect.stringContaining("The disk is almost full");
    expect(await statsOf(first.outbox)).toMatchObject({ writable: false, reason });
    // After a start as well.
    await first.outbox.close();
    const { outbox } = openOutbox({ file });
    accepted += await appendMany(outbox);
    expect(await deliver(outbox)).toBe(accepted);
  });

  it.for([
    ["while the server runs", false],
    ["before it starts again", true],
  ] as const)("by others %s lets all go out that waits", async ([, restarts], { skip }) => {
    const folder = mountDisk() ?? skip("This user may not mount a disk of its own.");
    const file = join(folder, "outbox.db");
    let { outbox } = openOutbox({ file });
    for (let n = 0; n < 20; n++) await append(outbox);
    if (restarts) await outbox.close();
    const stranger = fill(folder);
    if (restarts) ({ outbox } = openOutbox({ file }));
    await expect(append(outbox)).rejects.toMatchObject({ fault: "full" });
    expect(await statsOf(outbox)).toMatchObject({ writable: false });
    expect(await deliver(outbox)).toBe(20);
    rmSync(stranger);
    await expect.poll(() => statsOf(outbox)).toMatchObject({ writable: true, waiting: 0 });
    await append(outbox);
    expect(await claimAll(outbox)).toHaveLength(1);
  });
});

it("a quota that is used up is a full disk, as Node tells it", () => {
  // As `writeFileSync` throws it.
  const used = { code: "UNKNOWN", errno: -constants.errno.EDQUOT, syscall: "write" };
  expect(toOutboxError(Object.assign(new Error("unknown error, write"), used))).toMatchObject({
    fault: "full",
    message: "The disk is full.",
  });
});
