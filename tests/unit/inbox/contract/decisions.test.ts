import { describe, expect, test } from "vitest";
import { decide, decisionsIn } from "@/tests/support/inbox";
import { engines } from "@/tests/support/outboxes";

describe.each(engines)("decisions in %s", (_, open) => {
  test("about groups of errors are seen by all processes, the latest of each group", async () => {
    const { outbox, another } = open();
    const { rows } = outbox;
    const others = another().rows;
    expect(await decisionsIn(rows)).toEqual([]);
    await decide(rows, "a", "resolved", 1_800_000_000_000);
    await decide(rows, "b", "ignored", 2);
    await decide(others, "a", "ignored", 3);
    await decide(others, "never decided", "open", 4);
    expect(new Set(await decisionsIn(rows))).toEqual(
      new Set([
        { group: "a", state: "ignored", since: 3 },
        { group: "b", state: "ignored", since: 2 },
      ]),
    );
    await decide(rows, "a", "open", 5);
    expect(await decisionsIn(others)).toEqual([{ group: "b", state: "ignored", since: 2 }]);
  });
});
