import { describe, expect, test } from "vitest";
import { readFilter } from "@/lib/inbox/views/hrefs";
import { envelope, errorEvent, someEventId } from "@/tests/support/envelopes";
import { anyError, decide, filerOf, sourcesOf } from "@/tests/support/inbox";
import { engines } from "@/tests/support/outboxes";

const dayMs = 24 * 3_600_000;

function error(type: string, value: string, over: Record<string, unknown> = {}) {
  const { file = "app:///a.tsx", ...event } = over;
  const frames = [{ filename: file, function: "f", lineno: 1, in_app: true }];
  const exception = { values: [{ type, value, stacktrace: { frames } }] };
  return envelope([["event", errorEvent({ exception, ...event })]]);
}

const some = [
  error("TypeError", "Cannot read basket", { release: "1", transaction: "GET /shop/[id]" }),
  error("RangeError", "Too (deep)", { environment: "staging", file: "app:///lib/tree.ts" }),
  error("Error", "gone", { release: "2", transaction: "/shop/[id]" }),
  error("Error", "gone", { release: "1", transaction: "/about", user: { id: "77" } }),
];

describe.each(engines)("the errors filed in %s", (_, open) => {
  async function filed(envelopes: readonly Uint8Array[], stepMs = 1) {
    const opened = open();
    const { outbox, clock } = opened;
    for (const one of envelopes) {
      clock.now += stepMs;
      await outbox.append(one, "browser");
    }
    await filerOf(outbox, { release: "2" }).file();
    const { reports, groups } = sourcesOf(outbox);
    const asked = { ...anyError, runningRelease: "2", now: clock.now };
    const page = (query: string, number = 1) => {
      const filter = readFilter(new URLSearchParams(query));
      return groups.page({ ...asked, filter, page: number });
    };
    const found = async (query: string) => (await page(query)).groups.map(({ message }) => message);
    return { ...opened, reports, groups, asked, page, found };
  }

  test("are one group where type, message and place are alike, the newest group first", async () => {
    const { page } = await filed(some);
    const { groups, total } = await page("");
    expect(total).toBe(3);
    expect(groups.map((one) => [one.message, one.count])).toEqual([
      ["gone", 2],
      ["Too (deep)", 1],
      ["Cannot read basket", 1],
    ]);
    expect(groups[0]).toMatchObject({
      type: "Error",
      kind: "error",
      routes: ["/about", "/shop/[id]"],
      releases: ["1", "2"],
      origins: ["browser"],
      isNew: true,
      status: "open",
    });
    expect((groups[0]?.lastAt ?? 0) - (groups[0]?.firstAt ?? 0)).toBe(1);
  });

  test.each([
    ["BASKET", ["Cannot read basket"]],
    ["rangeerror", ["Too (deep)"]],
    ["tree.ts", ["Too (deep)"]],
    ["/shop/[id]", ["gone", "Cannot read basket"]],
    ["shop basket", ["Cannot read basket"]],
    ["(deep)", ["Too (deep)"]],
    [".*", []],
    ["%", []],
    ["T__ (deep)", []],
    ["basket gone", []],
    ["  ", ["gone", "Too (deep)", "Cannot read basket"]],
  ])("are searched: %j finds %j", async (text, messages) => {
    const { found } = await filed(some);
    expect(await found(`q=${encodeURIComponent(text)}`)).toEqual(messages);
  });

  test("are searched for hostile patterns as for any text", async () => {
    const { found } = await filed(some);
    for (const text of [
      "(a+)+$",
      "[[",
      "\\",
      "'",
      "\ud800",
      "\0",
      "*".repeat(5000),
      "q ".repeat(5000),
    ]) {
      expect(await found(String(new URLSearchParams({ q: text })))).toEqual([]);
    }
    expect(await found("release=%00")).toEqual([]);
  });

  test.each([
    ["release=2", ["gone"]],
    ["environment=staging", ["Too (deep)"]],
    ["route=/about", ["gone"]],
    ["origin=browser", ["gone", "Too (deep)", "Cannot read basket"]],
    ["origin=server", []],
    ["release=1&route=/about", ["gone"]],
    // One occurrence must have everything asked for.
    ["release=2&route=/about", []],
    // The newest "gone" is of release 1, and its first occurrence of release 2.
    ["state=new", ["gone"]],
  ])("are filtered: %s keeps %j", async (query, messages) => {
    const { found } = await filed(some);
    expect(await found(query)).toEqual(messages);
  });

  test("are filtered by what was decided, and ignored ones hidden unless they are asked for", async () => {
    const { driver, groups, found, page } = await filed(some);
    const idOf = async (message: string) =>
      (await page("state=all")).groups.find((one) => one.message === message)?.id ?? "";
    await decide(driver, await idOf("gone"), "ignored", 0);
    await decide(driver, await idOf("Too (deep)"), "resolved", Date.now() * 2);
    await decide(driver, await idOf("Cannot read basket"), "resolved", 0);
    expect(await found("")).toEqual(["Too (deep)", "Cannot read basket"]);
    expect(await found("state=ignored")).toEqual(["gone"]);
    expect(await found("state=resolved")).toEqual(["Too (deep)"]);
    expect(await found("state=came-back")).toEqual(["Cannot read basket"]);
    expect(await found("state=open")).toEqual(["Cannot read basket"]);
    expect(await found("state=all")).toHaveLength(3);
    expect(await found("q=user.id:77")).toEqual(["gone"]);
    expect(await found("q=user.id:77&state=resolved")).toEqual([]);
    expect(await found("state=nonsense")).toHaveLength(2);
    expect((await page("state=all")).groups.map(({ status }) => status)).toEqual([
      "ignored",
      "resolved",
      "came-back",
    ]);
    expect(await groups.counts()).toEqual({ ignored: 1, others: 2 });
  });

  test("offer the values that occur, and no more than a list can have", async () => {
    const message = envelope([
      ["event", errorEvent({ exception: undefined, level: "info", message: "hello" })],
    ]);
    const { groups, found } = await filed([...some, message]);
    expect(await groups.values()).toEqual({
      kind: ["error", "message"],
      release: ["1.0.0", "1", "2"],
      environment: ["production", "staging"],
      route: ["/about", "/failures/client-event", "/shop/[id]"],
      origin: ["browser"],
    });
    expect(await found("kind=message")).toEqual(["hello"]);
    expect(await found("kind=error")).toHaveLength(3);
    const many = Array.from({ length: 150 }, (_, i) =>
      error("E", "v", { release: `r${i}`, transaction: `/${i}` }),
    );
    const values = await (await filed(many)).groups.values();
    expect([values.release.length, values.route.length]).toEqual([100, 100]);
  });

  test("are counted for their day in UTC, and those of other weeks for none", async () => {
    const { clock, groups, page, asked } = await filed(
      Array.from({ length: 9 }, () => error("Error", "daily")),
      dayMs,
    );
    const [group] = (await page("")).groups;
    expect(group?.days).toEqual([1, 1, 1, 1, 1, 1, 1]);
    const later = { ...asked, now: clock.now + 2 * dayMs };
    expect((await groups.group(group?.id ?? "", later))?.days).toEqual([1, 1, 1, 1, 1, 0, 0]);
  });

  test("stand on pages of forty, of which one outside gives the nearest", async () => {
    const { page } = await filed(
      Array.from({ length: 85 }, (_, n) => error(`Error${"x".repeat(n)}`, "of many")),
    );
    const of = async (number: number) => {
      const { groups, total } = await page("", number);
      return [groups.length, total];
    };
    expect([await of(1), await of(3), await of(4), await of(900_000)]).toEqual([
      [40, 85],
      [5, 85],
      [5, 85],
      [5, 85],
    ]);
  });

  test("are found by event, by group and by trace", async () => {
    const [one, two, traceId] = [someEventId(), someEventId(), someEventId()];
    const contexts = { trace: { trace_id: traceId } };
    const { reports } = await filed([
      error("Error", "a", { event_id: one, contexts }),
      error("Error", "a", { event_id: two, user: { id: "77" } }),
    ]);
    const found = await reports.event(one);
    expect(found).toMatchObject({ eventId: one, type: "Error", message: "a", traceId });
    const group = found?.group ?? "";
    expect((await reports.ofGroup(group, 20)).map(({ eventId }) => eventId)).toEqual([two, one]);
    expect(await reports.ofGroup(group, 1)).toHaveLength(1);
    expect(await reports.ofGroup(group, 20, "77")).toMatchObject([{ eventId: two }]);
    expect((await reports.ofTrace(traceId, 20)).map(({ eventId }) => eventId)).toEqual([one]);
    expect(await reports.event("f".repeat(32))).toBeUndefined();
  });
});
