import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, inject, onTestFinished, test } from "vitest";
import { countIn } from "@/packages/inbox/tests/support/inbox";
import type { Outbox } from "@/packages/relay/src/outbox/outbox";
import { envelope, errorEvent, someEventId } from "@/tests/support/envelopes";
import { openOutbox, openPostgresOutbox } from "@/tests/support/outboxes";
import { bundleProcess } from "@/tests/support/tunnel-processes";

const leaseMs = 300;
const count = 400;

const stores: [name: string, open: () => { outbox: Outbox; args: string[] }][] = [
  [
    "SQLite",
    () => {
      const { outbox, file } = openOutbox({ clock: { now: Date.now() } });
      return { outbox, args: ["sqlite", file] };
    },
  ],
  [
    "Postgres",
    () => {
      const { outbox, schema } = openPostgresOutbox({ clock: { now: Date.now() } });
      return { outbox, args: ["postgres", inject("postgresUrl"), schema] };
    },
  ],
];

function thrown(id: string, colno: number): Uint8Array {
  const frame = { filename: "app:///_next/static/chunks/a.js", lineno: 1, colno, in_app: true };
  const values = [{ type: "E", value: "v", stacktrace: { frames: [frame] } }];
  return envelope([["event", errorEvent({ event_id: id, exception: { values } })]]);
}

test.each(stores)(
  "in %s a process that is killed while it files loses nothing, and files nothing twice",
  async (_, open) => {
    const script = await bundleProcess("packages/inbox/tests/unit/contract/filing-process.ts");
    const { outbox, args } = open();
    const ids = Array.from({ length: count }, someEventId);
    await Promise.all(ids.map((id, n) => outbox.append(thrown(id, n), "browser")));
    const filed = () =>
      outbox.driver.read<{ id: string }>({ text: "select event_id as id from {errors}" });
    const start = () => {
      const child = spawn(process.execPath, [script, ...args, String(leaseMs)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      return child;
    };
    for (const goal of [1, count / 3]) {
      const child = start();
      const ended = once(child, "exit");
      await expect
        .poll(async () => (await filed()).length, { interval: 5 })
        .toBeGreaterThanOrEqual(goal);
      child.kill("SIGKILL");
      await ended;
      expect((await filed()).length).toBeLessThan(count);
    }
    // What the last one had claimed is free after its lease.
    await expect
      .poll(async () => {
        await once(start(), "exit");
        return (await filed()).length;
      })
      .toBe(count);
    expect((await filed()).map(({ id }) => id).sort()).toEqual([...ids].sort());
    const quantities = await outbox.driver.read<{ sum: number }>({
      text: "select cast(sum(quantity) as bigint) as sum from {error_groups}",
    });
    expect(quantities).toEqual([{ sum: count }]);
    expect([await countIn(outbox, "outbox"), await countIn(outbox, "kept_reports")]).toEqual([
      0,
      count,
    ]);
  },
  60_000,
);
