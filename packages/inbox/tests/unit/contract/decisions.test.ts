import { describe, expect, test } from "vitest";
import {
  anyError,
  decide,
  decisionsIn,
  filerOf,
  sourcesOf,
} from "@/packages/inbox/tests/support/inbox";
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
});
