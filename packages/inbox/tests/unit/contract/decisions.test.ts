import { describe, expect, test } from "vitest";
import { filedBounds, pruneRows } from "@/packages/inbox/src/pruning";
import { removeAbout } from "@/packages/inbox/src/removal";
import {
  anyError,
  decide,
  decisionsIn,
  filerOf,
  sourcesOf,
} from "@/packages/inbox/tests/support/inbox";
import { insertAll } from "@/packages/relay/src/outbox/driver";
import { envelope, errorEvent } from "@/tests/support/envelopes";
import { engines } from "@/tests/support/outboxes";

describe.each(engines)("decisions in %s", (_, open) => {
  test("about groups of errors are seen by all processes, the latest of each group", async () => {
    const { outbox, driver, another } = open();
    const others = another().driver;
    for (const fingerprint of [["one"], ["two"]]) {
      await outbox.append(envelope([["event", errorEvent({ fingerprint })]]), "browser");
    }
    await filerOf(outbox).file();
    const { groups } = await sourcesOf(outbox).groups.page(anyError);
    const [a = "", b = ""] = groups.map(({ id }) => id);
    expect(await decisionsIn(driver)).toEqual([]);
    await decide(driver, a, "resolved", 1_800_000_000_000);
    await decide(driver, b, "ignored", 2);
    await decide(others, a, "ignored", 3);
    await decide(others, a.slice(1), "ignored", 3);
    await decide(others, "never decided", "open", 4);
    expect(new Set(await decisionsIn(driver))).toEqual(
      new Set([
        { group: a, state: "ignored", since: 3 },
        { group: b, state: "ignored", since: 2 },
      ]),
    );
    await decide(driver, a, "open", 5);
    expect(await decisionsIn(others)).toEqual([{ group: b, state: "ignored", since: 2 }]);
  });

  test("are bounded in number where their groups are gone, and go with a group that is removed", async () => {
    const { outbox, driver, clock } = open();
    await outbox.append(envelope([["event", errorEvent()]]), "browser");
    await filerOf(outbox).file();
    const [group] = (await sourcesOf(outbox).groups.page(anyError)).groups;
    const id = group?.id ?? "";
    await decide(driver, id, "ignored", 1);
    const gone = Array.from({ length: 10_002 }, (_, n) => ({
      ...{ group_id: `gone ${n}`, state: "resolved", since: n + 2 },
    }));
    await driver.transaction(insertAll("group_states", gone));
    await pruneRows(driver, filedBounds, String(clock.now));
    const kept = (await decisionsIn(driver)).map((one) => one.since).sort((a, b) => a - b);
    expect([kept.length, ...kept.slice(0, 2)]).toEqual([10_001, 1, 4]);
    await removeAbout({ kind: "group", id }, driver);
    expect((await decisionsIn(driver)).some((one) => one.group === id)).toBe(false);
  });
});
