import { describe, expect, test } from "vitest";
import { reportedPlace } from "@/packages/inbox/src/model/group-id";
import { readFilter } from "@/packages/inbox/src/views/hrefs";
import { errorData } from "@/packages/inbox/src/views/page-data";
import {
  anyError,
  countIn,
  decide,
  filerOf,
  runningRelease,
  sourcesOf,
} from "@/packages/inbox/tests/support/inbox";
import type { Origin } from "@/packages/relay/src/outbox/reports";
import { envelope, errorEvent, someEventId } from "@/tests/support/envelopes";
import { engines } from "@/tests/support/outboxes";

const dayMs = 24 * 3_600_000;

function error(type: string, value: string, over: Record<string, unknown> = {}) {
  const { file = "app:///a.tsx", sentAt, ...event } = over;
  const frames = [{ filename: file, function: "f", lineno: 1, in_app: true }];
  const exception = { values: [{ type, value, stacktrace: { frames } }] };
  const header = typeof sentAt === "number" && { sent_at: new Date(sentAt * 1000).toISOString() };
  return envelope([["event", errorEvent({ exception, ...event })]], header || {});
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

  test("of the server are no browser's affair, whatever fingerprint and time a browser's names", async () => {
    const { outbox, clock, driver } = open();
    const filer = filerOf(outbox);
    const { groups, reports } = sourcesOf(outbox);
    const asked = { ...anyError, filter: readFilter(new URLSearchParams("state=all")) };
    const append = async (origin: Origin, one: Uint8Array) => {
      clock.now += 1000;
      await outbox.append(one, origin);
      await filer.file();
    };
    const place = reportedPlace("/a.tsx", { function: "f", lineno: 1 });
    const fingerprint = ["Error", "real", place];
    await append("server", error("Error", "real", { release: runningRelease, timestamp: 0 }));
    const [known] = (await groups.page(asked)).groups;
    const id = known?.id ?? "";
    await decide(driver, id, "resolved", clock.now);
    const sentAt = clock.now / 1000;
    const backdated = { timestamp: sentAt - 6 * 24 * 3600, release: "1" };
    for (const over of [{}, { fingerprint }, backdated, { ...backdated, fingerprint }]) {
      await append("browser", error("Error", "real", { sentAt, ...over }));
      await append("browser", error("Other", "his words", { sentAt, fingerprint, ...over }));
    }
    expect(await groups.group(id, asked)).toEqual({ ...known, status: "resolved" });
    expect(await reports.ofGroup(id, 20)).toHaveLength(1);
    const others = (await groups.page(asked)).groups.filter((one) => one.id !== id);
    expect(others.map((one) => one.origins)).toEqual(others.map(() => ["browser"]));
    expect(others.map((one) => one.status)).toEqual(others.map(() => "open"));
  });

  test("begin and come back when reports come, not when these say that it was", async () => {
    const { outbox, clock, driver } = open();
    const filer = filerOf(outbox);
    const { groups } = sourcesOf(outbox);
    const append = async (over: Record<string, unknown>) => {
      clock.now += 1000;
      await outbox.append(
        error("Error", "known", { sentAt: clock.now / 1000, ...over }),
        "browser",
      );
      await filer.file();
      const [group] = (await groups.page({ ...anyError, runningRelease })).groups;
      return group;
    };
    const first = await append({ release: runningRelease });
    expect(first).toMatchObject({ firstAt: clock.now, lastAt: clock.now, isNew: true });
    await decide(driver, first?.id ?? "", "resolved", clock.now);
    const aWeekAgo = clock.now / 1000 - 6 * 24 * 3600;
    expect(await append({ release: "1", timestamp: aWeekAgo })).toMatchObject({
      count: 2,
      firstAt: first?.firstAt,
      lastAt: clock.now,
      isNew: true,
      status: "came-back",
    });
  });

  test.each(["the server's", "a browser's"])(
    "are the server's under an id that a browser's has, too, where %s comes first",
    async (first) => {
      const { outbox, clock } = open();
      const filer = filerOf(outbox);
      const { groups, reports } = sourcesOf(outbox);
      const [id, other] = [someEventId(), someEventId()];
      const append = async (origin: Origin, message: string, eventId = id) => {
        clock.now += 1;
        await outbox.append(error("Error", message, { event_id: eventId }), origin);
      };
      const serverFirst = first === "the server's";
      await append("browser", "his words", other);
      await append("browser", "his", someEventId());
      await filer.file();
      if (serverFirst) await append("server", "real");
      else await append("browser", "his");
      await filer.file();
      // Those of one transaction, too.
      await append("browser", "his words");
      await append("server", "real");
      await append("browser", "his words");
      await filer.file();
      expect(await reports.event(id)).toMatchObject({ message: "real", origin: "server" });
      expect(await reports.event(other)).toMatchObject({ message: "his words" });
      const page = await groups.page(anyError);
      const counts = page.groups.map(({ message, count }) => [message, count]);
      expect(Object.fromEntries(counts)).toEqual({ his: 1, "his words": 1, real: 1 });
      expect([page.total, await countIn(outbox), await countIn(outbox, "kept_reports")]).toEqual([
        3, 3, 3,
      ]);
    },
  );

  test("without an id get one that nobody can know before, and take", async () => {
    const { outbox, driver } = open();
    const filer = filerOf(outbox);
    const nameless = error("Error", "nameless", { event_id: undefined });
    await outbox.append(nameless, "browser");
    await filer.file();
    const [row] = await driver.read<{ report_id: number }>({
      text: "select report_id from {errors}",
    });
    for (let next = 1; next <= 20; next += 1) {
      const id = ((row?.report_id ?? 0) + next).toString(16).padStart(32, "0");
      await outbox.append(error("Error", "squatter", { event_id: id }), "browser");
    }
    await filer.file();
    for (let n = 0; n < 5; n += 1) await outbox.append(nameless, "browser");
    await filer.file();
    const sources = sourcesOf(outbox);
    const { groups } = await sources.groups.page(anyError);
    expect(groups.map(({ message, count }) => [message, count]).sort()).toEqual([
      ["nameless", 6],
      ["squatter", 20],
    ]);
    // The event of the report is found by its id.
    const { id = "" } = groups.find(({ message }) => message === "nameless") ?? {};
    const asked = { id, eventId: undefined, runningRelease, now: anyError.now };
    expect((await errorData(sources, asked))?.view.gone).toBe(false);
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
