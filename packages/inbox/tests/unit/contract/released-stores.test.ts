import { describe, expect, it } from "vitest";
import { inboxTables } from "@/packages/inbox/src/tables";
import {
  anyError,
  countIn,
  decisionsIn,
  filerOf,
  sourcesOf,
} from "@/packages/inbox/tests/support/inbox";
import { insertAll } from "@/packages/relay/src/outbox/driver";
import { idsOf, startDispatcher } from "@/tests/support/dispatchers";
import { dropsIn, engines, statsOf } from "@/tests/support/outboxes";
import { releasedStores } from "./released-stores";

/** A minute after the release has stopped: the claim of its dead process has ended. */
const clock = { now: Date.UTC(2026, 0, 1, 0, 1) };
const id = (number: number) => number.toString(16).padStart(32, "0");
/** Errors, two of which have failed before and one of which is claimed, and measurements. */
const waiting = [0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x20, 0x21, 0x22].map(id);

describe.each(releasedStores)("a store of 0.1.0 in %s", (_, copy) => {
  it("is delivered, each report once", async () => {
    const open = await copy();
    const { service, outbox } = await startDispatcher({ open, clock: { ...clock } });
    // A client report of what was dropped may be among them.
    const delivered = () => idsOf(service.attempts).filter((one) => one !== undefined);
    await service.waitFor(() => delivered().length >= waiting.length);
    expect(delivered().sort()).toEqual(waiting);
    await expect.poll(() => statsOf(outbox)).toMatchObject({ writable: true, waiting: 0 });
    expect(delivered().sort()).toEqual(waiting);
    expect(await dropsIn(outbox)).toEqual([
      { reason: "network_error", category: "error", quantity: 3 },
    ]);
  });

  it("shows in the inbox what was filed and decided, and takes more", async () => {
    const open = await copy();
    const { outbox } = open({ clock: { ...clock } });
    const sources = sourcesOf(outbox);
    const all = { ...anyError, filter: { ...anyError.filter, state: "all" as const } };
    const { groups } = await sources.groups.page(all);
    const messages = groups.map(({ message, count }) => [message, count]);
    expect(Object.fromEntries(messages)).toEqual({
      "grouped by name": 1,
      "nobody minds": 1,
      "mended long ago": 1,
      broken: 2,
    });
    const groupOf = (message: string) => groups.find((one) => one.message === message)?.id;
    // Groups of browsers have names of their own since.
    expect(groupOf("broken")).toMatch(/^b[0-9a-f]{16}$/);
    expect(groupOf("nobody minds")).toMatch(/^[0-9a-f]{16}$/);
    expect((await decisionsIn(outbox.driver)).map(({ group, state }) => [group, state])).toEqual(
      expect.arrayContaining([
        [groupOf("mended long ago"), "resolved"],
        [groupOf("nobody minds"), "ignored"],
      ]),
    );
    const error = await sources.reports.event(id(1));
    expect(error).toMatchObject({ message: "broken" });
    expect(await sources.feedback.newest({ limit: 9, offset: 0 })).toMatchObject([
      { message: "The button did nothing." },
    ]);
    expect(await sources.performance.page({ limit: 9, offset: 0 })).toMatchObject([
      { route: "/server" },
    ]);
    expect(await sources.performance.releases(9)).toMatchObject([{ release: "1.0.0" }]);
    // What waits is filed with them, also in groups that are there.
    await filerOf(outbox).file();
    expect(await countIn(outbox)).toBe(11);
    const now = (await sources.groups.page(all)).groups;
    expect(now.find(({ id }) => id === groupOf("mended long ago"))).toMatchObject({ count: 1 });
    // What waits is said by both sides.
    expect(now).toHaveLength(6);
    expect(await decisionsIn(outbox.driver)).toHaveLength(2);
  });
});

describe.each(engines)("a group of 0.1.0 in %s", (_, open) => {
  it("that was of both sides becomes one of each, with its own count and what was decided", async () => {
    const { outbox, driver } = open();
    const group_id = "bd52e2a0cf65063b";
    const error = (origin: string, report_id: number) => ({
      ...{ event_id: id(report_id), report_id, group_id, origin, seen_at: report_id },
      ...{ kind: "error", type: "Error", message: "said by both", variant_id: origin, size: 1 },
    });
    const errors = [error("browser", 1), error("server", 2), error("browser", 3)];
    const group = { group_id, quantity: 3, first_at: 1, last_at: 3, last_report: 3 };
    const migration = inboxTables.migrations.at(-1)?.statements(driver.dialect) ?? [];
    const ofRows = migration.filter(({ text }) => /^(update|insert|delete)/.test(text));
    await driver.transaction([
      ...insertAll("errors", errors),
      ...insertAll("error_groups", [group]),
      ...insertAll("group_states", [{ group_id, state: "ignored", since: 4 }]),
      ...ofRows,
    ]);
    const all = { ...anyError, filter: { ...anyError.filter, state: "all" as const } };
    const { groups } = await sourcesOf(outbox).groups.page(all);
    const shown = groups.map((one) => [one.id, one.count, one.firstAt, one.lastAt]);
    expect(shown.sort()).toEqual([
      [`b${group_id}`, 2, 1, 3],
      [group_id, 1, 1, 2],
    ]);
    const decisions = (await decisionsIn(driver)).map((one) => [one.group, one.state]);
    expect(decisions.sort()).toEqual([
      [`b${group_id}`, "ignored"],
      [group_id, "ignored"],
    ]);
  });
});
