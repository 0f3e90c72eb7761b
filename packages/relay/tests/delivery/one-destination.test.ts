import { expect, it } from "vitest";
import { noticeOthers } from "@/packages/relay/src/delivery/one-destination";
import { parseDsn } from "@/packages/relay/src/dsn";
import type { Driver } from "@/packages/relay/src/outbox/driver";
import { engines, recordedLog } from "@/tests/support/outboxes";

/** Until the store's clock has gone on, by which notes are told apart. */
async function clockGoesOn({ dialect, read }: Pick<Driver, "dialect" | "read">): Promise<void> {
  const now = async () => Number((await read({ text: `select ${dialect.now} as now` }))[0]?.now);
  const before = await now();
  await expect.poll(now).toBeGreaterThan(before);
}

it.each(engines)(
  "%s: servers that deliver elsewhere are told once, until they are gone",
  async (_, open) => {
    const { outbox, another, driver } = open();
    const { lines, log } = recordedLog();
    const events = () => lines.map(({ level, event }) => [level, event]);
    const later = () =>
      clockGoesOn({ dialect: driver.dialect, read: (statement) => driver.read(statement) });
    const here = noticeOthers(outbox.driver, parseDsn("https://key@sentry.example/1"), log);
    // Its key is changed while both run.
    const alike = noticeOthers(another().driver, parseDsn("https://new@sentry.example/1"), log);
    const elsewhere = parseDsn("https://key@sentry.example/2");
    const there = noticeOthers(another().driver, elsewhere, () => {});
    // Of a server that this one replaces.
    await there();
    await later();
    await here();
    await later();
    await alike();
    await here();
    expect(events()).toEqual([]);
    await later();
    await there();
    await here();
    await here();
    const told = ["error", "outbox is shared by servers that deliver to different services"];
    expect(events()).toEqual([told]);
    const notes = await driver.read({ text: "select name, value from {notes}" });
    expect(JSON.stringify(notes)).not.toContain("sentry.example");
    // It has said so long ago.
    const text = `update {notes} set value = cast(cast(value as bigint) - 151000 as text)
      where name like 'destination-%'`;
    await driver.transaction([{ text }]);
    await here();
    expect(events()).toEqual([told, ["info", "outbox has one destination again"]]);
  },
);
