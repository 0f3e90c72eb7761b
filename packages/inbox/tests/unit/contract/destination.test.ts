import { describe, expect, onTestFinished, test } from "vitest";
import { digest } from "@/packages/inbox/src/model/digest";
import { filingOf } from "@/packages/inbox/src/model/filed-statements";
import type { SessionCounts } from "@/packages/inbox/src/model/sessions";
import { filedBounds, pruneRows } from "@/packages/inbox/src/pruning";
import {
  anyError,
  countIn,
  errorOf,
  filerOf,
  found,
  sourcesOf,
  thrownIn,
} from "@/packages/inbox/tests/support/inbox";
import type { Statement } from "@/packages/relay/src/outbox/driver";
import type { Outbox } from "@/packages/relay/src/outbox/outbox";
import type { FrameResolver } from "@/packages/relay/src/source-maps/frames";
import { frameResolver, MapThread } from "@/packages/relay/src/source-maps/map-thread";
import { envelope, errorEvent, feedbackEvent, someEventId } from "@/tests/support/envelopes";
import { dropsIn, engines } from "@/tests/support/outboxes";
import { mapsFolder, simpleMap, writeMap } from "@/tests/support/source-maps";

const late: FrameResolver = async (frames) => frames.map(() => ({ resolved: false, late: true }));

/** A page of two functions, in its second build with a line in front. */
const first = "function load() {\n  fail();\n}\nfunction save() {\n  fail();\n}\n";
const second = `// New.\n${first}`;

/** The maps of one build, as they are in the folder of its image, and nothing of the other's. */
function imageOf(build: string, content: string, chunk: string, line: number): FrameResolver {
  const folder = mapsFolder();
  const map = simpleMap("turbopack:///[project]/pages/a.tsx", content, [
    [10, 0, line, 2],
    [20, 0, line + 3, 2],
  ]);
  writeMap(folder, `static/chunks/${chunk}.js`, map, { build });
  writeMap(folder, "server/pages/a.js", map, { build });
  const thread = new MapThread({ folder });
  onTestFinished(() => thread.close());
  const resolve = frameResolver(thread, build);
  // Far more time than is needed, also on a busy machine.
  return (frames, options) => resolve(frames, { ...options, timeoutMs: 15_000 });
}

describe.each(engines)("filing in %s", (_, open) => {
  async function groupsIn(outbox: Outbox) {
    return (await sourcesOf(outbox).groups.page(anyError)).groups;
  }

  test("two builds in two folders have one group of one fault, and lines for both occurrences", async () => {
    const { outbox, another, clock } = open();
    const one = filerOf(outbox, { release: "b1", resolve: imageOf("b1", first, "one", 1) });
    await outbox.append(thrownIn("static/chunks/one", 11, { release: "b1" }), "browser");
    await outbox.append(thrownIn("server/pages/a", 21, { release: "b1" }), "server");
    await one.file();
    // The deployment: the next image has only its own maps.
    const next = another();
    const two = filerOf(next, { release: "b2", resolve: imageOf("b2", second, "two", 2) });
    clock.now += 1000;
    await next.append(thrownIn("static/chunks/two", 11, { release: "b2" }), "browser");
    await next.append(thrownIn("server/pages/a", 21, { release: "b2" }), "server");
    await two.file();
    const groups = await groupsIn(next);
    expect(groups.map(({ releases, count }) => [releases, count])).toEqual([
      [["b2", "b1"], 2],
      [["b2", "b1"], 2],
    ]);
    const { reports } = sourcesOf(next);
    const lines: unknown[] = [];
    for (const { id } of groups) {
      for (const { stackId } of await reports.ofGroup(id, 20)) {
        const frame = (await reports.frames(stackId ?? ""))?.[0]?.[0];
        lines.push([frame?.function, frame?.place, frame?.source?.line]);
      }
    }
    expect(lines.sort()).toEqual([
      ["load", "pages/a.tsx:2:3", "  fail();"],
      ["load", "pages/a.tsx:3:3", "  fail();"],
      ["save", "pages/a.tsx:5:3", "  fail();"],
      ["save", "pages/a.tsx:6:3", "  fail();"],
    ]);
  });

  test("an error of another build waits for a server of it, and no longer than a minute", async () => {
    const { outbox, another, clock } = open({ release: "b2" });
    const two = filerOf(outbox, { release: "b2", resolve: imageOf("b2", second, "two", 2) });
    const file = "server/pages/a";
    await outbox.append(thrownIn(file, 11, { release: "b1" }), "server");
    await two.file();
    expect(await countIn(outbox)).toBe(0);
    const old = another({ release: "b1" });
    await filerOf(old, { release: "b1", resolve: imageOf("b1", first, "one", 1) }).file();
    expect(await countIn(outbox)).toBe(1);
    await outbox.append(thrownIn(file, 11, { release: "b1" }), "server");
    await two.file();
    expect(await countIn(outbox)).toBe(1);
    clock.now += 60_000;
    await two.file();
    // As it came: in the maps of the build that runs, its place would be another line.
    const groups = await groupsIn(outbox);
    expect(groups.map(({ count }) => count)).toEqual([1, 1]);
    const { reports } = sourcesOf(outbox);
    const stacks = await Promise.all(groups.map(({ id }) => reports.ofGroup(id, 1)));
    expect(stacks.flat().filter(({ stackId }) => stackId !== null)).toHaveLength(1);
  });

  test("an error that can't be resolved in time is filed when it is, or after a minute as it came", async () => {
    const { outbox, clock } = open();
    let resolver = late;
    const filer = filerOf(outbox, { resolve: (...args) => resolver(...args) });
    await outbox.append(thrownIn("static/chunks/a", 1), "browser");
    await filer.file();
    resolver = found;
    await filer.file();
    expect(await countIn(outbox)).toBe(0);
    clock.now += 1000;
    await filer.file();
    expect(await countIn(outbox)).toBe(1);
    resolver = late;
    await outbox.append(thrownIn("static/chunks/a", 1), "browser");
    const begin = clock.now;
    while ((await countIn(outbox)) < 2) {
      clock.now += 1000;
      await filer.file();
      expect(clock.now - begin).toBeLessThan(70_000);
    }
    expect(clock.now - begin).toBeGreaterThan(30_000);
    expect((await groupsIn(outbox)).map(({ count }) => count)).toEqual([1, 1]);
  });

  test("a report that needs no maps waits for none that does", async () => {
    const { outbox } = open();
    const { destination } = filerOf(outbox, { resolve: () => new Promise(() => {}) });
    const { signal } = new AbortController();
    await outbox.append(thrownIn("static/chunks/a", 1), "browser");
    await outbox.append(errorOf("at once"), "browser");
    const outcomes = (await outbox.claim({ limit: 2, without: 0 })).map((report) =>
      destination.deliver(report, signal),
    );
    expect(await Promise.race(outcomes)).toMatchObject({
      value: { rows: { errors: [{ message: "at once" }] } },
    });
  });

  test("several processes share the work, and each report is read by one of them", async () => {
    const { outbox, another } = open();
    const seen: string[] = [];
    const counting: FrameResolver = async (frames) => {
      seen.push(String(frames[1]?.colno));
      return frames.map(() => ({ resolved: false, late: false }));
    };
    const stores = [outbox, another(), another()];
    const colnos = Array.from({ length: 100 }, (_, n) => String(n + 1));
    await Promise.all(
      colnos.map((n) =>
        outbox.append(thrownIn("static/chunks/a", Number(n), { release: "b2" }), "browser"),
      ),
    );
    await Promise.all(
      stores.map((store) => filerOf(store, { release: "b2", resolve: counting }).file()),
    );
    expect(await countIn(outbox)).toBe(100);
    expect([seen.length, new Set(seen).size]).toEqual([100, 100]);
  });

  test("an event that arrived twice is there once, and stays in its group", async () => {
    const { outbox } = open();
    const twice = errorOf("again");
    const filer = filerOf(outbox);
    await outbox.append(twice, "browser");
    await filer.file();
    await outbox.append(twice, "browser");
    await filer.file();
    expect((await groupsIn(outbox)).map(({ count }) => count)).toEqual([1]);
    expect(await countIn(outbox, "kept_reports")).toBe(1);
  });

  test("what only counts drops is not kept", async () => {
    const { outbox } = open();
    await outbox.append(envelope([["client_report", { discarded_events: [] }]]), "browser");
    await outbox.append(errorOf("beside it"), "browser");
    await filerOf(outbox).file();
    expect([await countIn(outbox, "outbox"), await countIn(outbox, "kept_reports")]).toEqual([
      0, 1,
    ]);
  });

  test("a report of which the store refuses what was made is dropped alone", async () => {
    const { outbox } = open();
    const { destination } = filerOf(outbox);
    const { signal } = new AbortController();
    for (const message of ["before", "poison", "after"]) {
      await outbox.append(errorOf(message), "browser");
    }
    const refused: Statement = {
      text: "insert into {routes} (route, quantity) values ('/', null)",
    };
    const { rowsOf } = outbox;
    outbox.rowsOf = (taken) => {
      const isPoisoned = JSON.stringify(taken).includes("poison");
      return [...(rowsOf?.(taken) ?? []), ...(isPoisoned ? [refused] : [])];
    };
    const reports = await outbox.claim({ limit: 3, without: 0 });
    await Promise.all(
      reports.map(async (report) =>
        outbox.acknowledge(report, await destination.deliver(report, signal)),
      ),
    );
    const messages = (await groupsIn(outbox)).map(({ message }) => message);
    expect(messages.sort()).toEqual(["after", "before"]);
    expect(await sourcesOf(outbox).reports.counts()).toMatchObject({ reports: 2, dropped: 1 });
    expect(await countIn(outbox, "outbox")).toBe(0);
  });

  test("whatever a report holds, it is filed, or has nothing to be filed", async () => {
    const { outbox } = open();
    const odd: unknown[] = [null, 0, -1, 1e300, "", "\0", "\ud800", true, [], {}, [null], [[]]];
    const sample = errorEvent();
    for (const key of [...Object.keys(sample), "message", "logentry", "fingerprint", "contexts"]) {
      for (const value of odd) {
        const event = errorEvent({ event_id: someEventId(), [key]: value });
        await outbox.append(envelope([["event", event]]), "browser");
      }
    }
    for (const lineno of ["[".repeat(50) + "]".repeat(50), "1e999", '{"a":1}']) {
      const path = "https://a.example/_next/static/chunks/a.js";
      const frames = `[{"filename":"${path}","lineno":1,"colno":1},{"filename":"x.js","lineno":${lineno},"colno":${lineno}}]`;
      const event = `{"event_id":"${someEventId()}","exception":{"values":[{"stacktrace":{"frames":${frames}}}]}}`;
      await outbox.append(Buffer.from(`{}\n{"type":"event"}\n${event}\n`), "browser");
    }
    const deep = "[".repeat(6000) + "]".repeat(6000);
    await outbox.append(
      Buffer.from(`{}\n{"type":"event"}\n{"event_id":"${"a".repeat(32)}","extra":${deep}}\n`),
      "browser",
    );
    await filerOf(outbox).file();
    expect([await countIn(outbox, "outbox"), await dropsIn(outbox)]).toEqual([0, []]);
    expect(await countIn(outbox, "kept_reports")).toBeGreaterThan(100);
    expect(await countIn(outbox)).toBeGreaterThan(70);
  });

  test("feedback is filed whole, once, and beside the error that it is about", async () => {
    const { outbox, driver, clock } = open();
    const about = someEventId();
    const whole = `${"word ".repeat(799)}end.`;
    const filer = filerOf(outbox);
    const said = envelope([["feedback", feedbackEvent(whole, about)]]);
    const older = envelope([["user_report", { event_id: about, comments: "older form" }]]);
    for (const one of [said, older, said, older]) await outbox.append(one, "browser");
    await outbox.append(envelope([["feedback", feedbackEvent("of nothing")]]), "browser");
    await filer.file();
    const { feedback } = sourcesOf(outbox);
    const all = () => feedback.newest({ limit: 40, offset: 0 });
    expect(await feedback.count()).toBe(3);
    expect(await all()).toMatchObject([
      { message: "of nothing", about: null, group: null, name: "Ada", page: "/server" },
      { message: "older form", about, group: null },
      { message: whole, about, group: null, contact: "ada@example.org" },
    ]);
    expect(await feedback.newest({ limit: 1, offset: 2 })).toMatchObject([{ message: whole }]);
    await outbox.append(errorOf("told of", { event_id: about }), "browser");
    await filer.file();
    const group = (await groupsIn(outbox))[0]?.id ?? "";
    expect((await all())[1]).toMatchObject({ group, errorType: "Error", errorMessage: "told of" });
    expect(await feedback.counts([group, "0".repeat(16)])).toEqual(new Map([[group, 2]]));
    expect(await feedback.counts([])).toEqual(new Map());
    const { messages, total } = await feedback.ofGroup(group, 1);
    expect([messages.length, total]).toEqual([1, 2]);
    const prune = (over: Partial<typeof filedBounds.feedback>) => {
      const bounds = { ...filedBounds, feedback: { ...filedBounds.feedback, ...over } };
      return pruneRows(driver, bounds, String(clock.now));
    };
    await prune({ count: 2 });
    expect(await feedback.count()).toBe(2);
    await prune({ bytes: 10 });
    expect(await feedback.count()).toBe(0);
  });

  test("sessions are added up by release and hour", async () => {
    const { outbox, driver } = open();
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
    const counted = (release: string, started: number, at = hour): SessionCounts => ({
      ...{ release, hour: at, started, errored: 2, crashed: 1 },
    });
    filerOf(outbox);
    const acknowledge = async (...sessions: SessionCounts[]) => {
      await outbox.append(envelope([["sessions", {}]]), "server");
      for (const report of await outbox.claim({ limit: 1, without: 0 })) {
        const value = filingOf(report, { ...digest(report), sessions });
        await outbox.acknowledge(report, { kind: "taken", value });
      }
    };
    await acknowledge(counted("1", 5), counted("2", 7), counted("1", 1, hour - 3_600_000));
    await acknowledge(counted("1", 3), counted("1", 9, hour - 40 * 86_400_000));
    await pruneRows(driver);
    expect(await sourcesOf(outbox).performance.releases(10)).toEqual([
      { release: "1", started: 9, errored: 6, crashed: 3, lastHour: hour },
      { release: "2", started: 7, errored: 2, crashed: 1, lastHour: hour },
    ]);
    expect(await countIn(outbox, "sessions")).toBe(3);
    for (let n = 0; n < 1_010; n += 101) {
      const before = hour - 7_200_000;
      const many = Array.from({ length: 101 }, (_, i) => counted(`older ${n + i}`, 1, before));
      await acknowledge(...many);
    }
    await pruneRows(driver);
    expect(await countIn(outbox, "sessions")).toBe(1_000);
    expect((await sourcesOf(outbox).performance.releases(1))[0]).toMatchObject({
      release: "1",
      started: 9,
    });
  });
});
