import { describe, expect, onTestFinished, test } from "vitest";
import { ErrorGroups } from "@/lib/inbox/model/error-groups";
import { filedBounds, pruneRows } from "@/lib/inbox/model/filed-bounds";
import { FiledErrors } from "@/lib/inbox/model/filed-errors";
import { FiledFeedback } from "@/lib/inbox/model/filed-feedback";
import { FiledReports } from "@/lib/inbox/model/filed-reports";
import { Filer, type FilerOptions } from "@/lib/inbox/model/filer";
import { type OutboxEngine, OutboxError } from "@/lib/outbox/outbox";
import type { Rows, Statement } from "@/lib/outbox/rows";
import { MapThread } from "@/lib/source-maps/map-thread";
import { type FrameResolver, frameResolver } from "@/lib/source-maps/resolve-frames";
import { envelope, errorEvent, feedbackEvent, someEventId } from "@/tests/support/envelopes";
import { anyError, decide, decisionsIn } from "@/tests/support/inbox";
import { engines } from "@/tests/support/outboxes";
import { mapsFolder, simpleMap, writeMap } from "@/tests/support/source-maps";

/** A report of an error thrown in a minified chunk, or in a file of the server's. */
function thrownIn(file: string, colno: number, over: Record<string, unknown> = {}): Uint8Array {
  const frames = [
    { function: "dispatch", filename: "app:///lib.js", lineno: 1, colno: 1, in_app: false },
    { function: "r", filename: `app:///_next/${file}.js`, lineno: 1, colno, in_app: true },
  ];
  const values = [{ type: "TypeError", value: "broken", stacktrace: { frames } }];
  return envelope([["event", errorEvent({ exception: { values }, ...over })]]);
}

/** Resolves every frame to the function that it was reported with. */
const found: FrameResolver = async (frames) =>
  frames.map(({ function: name }) => ({
    resolved: true,
    file: "pages/a.tsx",
    line: 1,
    column: 1,
    function: String(name),
    own: true,
    code: undefined,
  }));
const unknown: FrameResolver = async (frames) =>
  frames.map(() => ({ resolved: false, late: false }));
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
  const filerOf = (outbox: OutboxEngine, over: Partial<FilerOptions> = {}) =>
    new Filer(outbox.rows, { release: "b2", resolver: unknown, ...over });

  async function groupsIn(outbox: OutboxEngine) {
    const { groups } = await new ErrorGroups(outbox.rows).page(anyError);
    return groups;
  }

  const rowsIn = async ({ rows }: OutboxEngine, table = "errors") =>
    (await rows.select({ text: `select 1 as one from {${table}}` })).length;

  test("two builds in two folders have one group of one fault, and lines for both occurrences", async () => {
    const { outbox, another, clock } = open();
    const one = filerOf(outbox, {
      release: "b1",
      resolver: imageOf("b1", first, "one", 1),
    });
    await outbox.append(thrownIn("static/chunks/one", 11, { release: "b1" }), "browser");
    await outbox.append(thrownIn("server/pages/a", 21, { release: "b1" }), "server");
    await one.file();
    // The deployment: the next image has only its own maps.
    const next = another();
    const two = filerOf(next, { resolver: imageOf("b2", second, "two", 2) });
    clock.now += 1000;
    await next.append(thrownIn("static/chunks/two", 11, { release: "b2" }), "browser");
    await next.append(thrownIn("server/pages/a", 21, { release: "b2" }), "server");
    await two.file();
    const groups = await groupsIn(next);
    expect(groups.map(({ releases, count }) => [releases, count])).toEqual([
      [["b2", "b1"], 2],
      [["b2", "b1"], 2],
    ]);
    const errors = new FiledErrors(next.rows);
    const lines: unknown[] = [];
    for (const { id } of groups) {
      for (const { stackId } of await errors.ofGroup(id, 20)) {
        const frame = (await errors.frames(stackId ?? ""))?.[0]?.[0];
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
    const { outbox, another, clock } = open();
    const two = filerOf(outbox, { resolver: imageOf("b2", second, "two", 2) });
    const file = "server/pages/a";
    await outbox.append(thrownIn(file, 11, { release: "b1" }), "server");
    await outbox.append(errorOf("of no build", { release: "b1" }), "server");
    await two.file();
    expect((await groupsIn(outbox)).map(({ message }) => message)).toEqual(["of no build"]);
    const one = filerOf(another(), {
      release: "b1",
      resolver: imageOf("b1", first, "one", 1),
    });
    await one.file();
    expect(await rowsIn(outbox)).toBe(2);
    await outbox.append(thrownIn(file, 11, { release: "b1" }), "server");
    await two.file();
    expect(await rowsIn(outbox)).toBe(2);
    clock.now += 60_000;
    await two.file();
    // As it came: in the maps of the build that runs, its place would be another line.
    const groups = await groupsIn(outbox);
    expect(groups.map(({ count }) => count)).toEqual([1, 1, 1]);
    const errors = new FiledErrors(outbox.rows);
    const stacks = await Promise.all(groups.map(({ id }) => errors.ofGroup(id, 1)));
    expect(stacks.flat().filter(({ stackId }) => stackId !== null)).toHaveLength(1);
  });

  test("an error that was filed as it came joins its group when a server of its build starts", async () => {
    const { outbox, another, clock } = open();
    const of = (release: string, store: OutboxEngine = outbox) => {
      const built = release === "b1" ? imageOf("b1", first, "one", 1) : late;
      return filerOf(store, { release, resolver: built });
    };
    for (const message of ["server/pages/a", "server/pages/a"]) {
      await outbox.append(thrownIn(message, 11, { release: "b1" }), "server");
      await of("b2").file();
      clock.now += 60_000;
      await of("b2").file();
    }
    await outbox.append(errorOf("other"), "browser");
    await of("b2").file();
    const countsIn = async () => (await groupsIn(outbox)).map(({ count }) => count);
    expect(await countsIn()).toEqual([1, 2]);
    const asReported = (await groupsIn(outbox))[1]?.id;
    // Two servers start at the same time.
    await Promise.all([of("b1").file(), of("b1", another()).file()]);
    clock.now += 60_000;
    await of("b1").file();
    expect(await countsIn()).toEqual([1, 2]);
    const resolved = (await groupsIn(outbox))[1]?.id ?? "";
    expect(resolved).not.toBe(asReported);
    const errors = new FiledErrors(outbox.rows);
    const stacks = (await errors.ofGroup(resolved, 10)).map(({ stackId }) => stackId);
    expect(await errors.frames(stacks[0] ?? "")).toMatchObject([
      [{ place: "pages/a.tsx:2:3" }, {}],
    ]);
    expect(await outbox.rows.select({ text: "select 1 from {unresolved}" })).toEqual([]);
  });

  test("what a new release files anew is not taken by a server of the one before", async () => {
    const { outbox, another, clock } = open();
    const old = filerOf(outbox, { release: "b1" });
    for (let n = 1; n <= 100; n += 1) {
      await outbox.append(thrownIn("static/a", n, { release: "b2" }), "browser");
    }
    await old.file();
    clock.now += 60_000;
    await old.file();
    expect(await rowsIn(outbox, "unresolved")).toBe(100);
    clock.now += 60_000;
    // It looks for what is unfinished while the new one resolves.
    const resolver: FrameResolver = async (...asked) => {
      clock.now += 100;
      await old.file();
      return found(...asked);
    };
    await filerOf(another(), { release: "b2", resolver }).file();
    expect([await rowsIn(outbox), await rowsIn(outbox, "unresolved")]).toEqual([100, 0]);
    expect(await groupsIn(outbox)).toMatchObject([{ count: 100 }]);
  });

  test("an error that was filed as it came stays if its report is gone when a server of its build starts", async () => {
    const { outbox, clock } = open();
    const of = (release: string) => filerOf(outbox, { release, resolver: unknown });
    const visit = { transaction: "/a", measurements: { lcp: { value: 1 } } };
    const thrown = thrownIn("server/pages/a", 11, { release: "b1" });
    await outbox.append(joined(thrown, envelope([["transaction", visit]])), "browser");
    await outbox.append(thrownIn("server/pages/b", 11, { release: "b1" }), "server");
    await of("b2").file();
    clock.now += 60_000;
    await of("b2").file();
    const { rows } = outbox;
    const routes = () => rows.select({ text: "select quantity from {routes}" });
    expect(await routes()).toEqual([{ quantity: 1 }]);
    await rows.change([{ text: "delete from {reports} where origin = 'server'" }]);
    await of("b1").file();
    clock.now += 60_000;
    await of("b1").file();
    expect(await rowsIn(outbox)).toBe(2);
    expect((await groupsIn(outbox)).map(({ count }) => count)).toEqual([1, 1]);
    expect(await routes()).toEqual([{ quantity: 1 }]);
    expect(await rows.select({ text: "select 1 from {unresolved}" })).toEqual([]);
  });

  test("an error is counted whose report is dropped while its stack is resolved", async () => {
    const { outbox, clock } = open();
    let resolve = () => {};
    const held = new Promise<void>((done) => {
      resolve = done;
    });
    const resolver: FrameResolver = async (...asked) => {
      await held;
      return found(...asked);
    };
    const filer = filerOf(outbox, { resolver });
    await outbox.append(thrownIn("static/chunks/a", 1), "browser");
    const filed = filer.file();
    await expect
      .poll(() => outbox.rows.select({ text: "select 1 from {filings}" }))
      .toHaveLength(1);
    await outbox.rows.change([{ text: "delete from {reports}" }]);
    await pruneRows(outbox.rows, filedBounds, clock.now);
    resolve();
    await filed;
    expect(await groupsIn(outbox)).toMatchObject([{ count: 1 }]);
  });

  test("processes that look at the bounds at the same time remove no more than one would", async () => {
    const { outbox, another, clock } = open();
    for (let n = 0; n < 40; n += 1) {
      clock.now += 1;
      await outbox.append(errorOf(`number ${n}`), "browser");
    }
    await filerOf(outbox).file();
    const all = [outbox, another(), another()];
    const over = { ...filedBounds, errors: 30 };
    await Promise.all(all.map(({ rows }) => pruneRows(rows, over, clock.now)));
    expect(await rowsIn(outbox)).toBe(30);
    const later = clock.now + filedBounds.maxAgeMs - 9;
    await Promise.all(all.map(({ rows }) => pruneRows(rows, over, later)));
    expect(await rowsIn(outbox)).toBe(10);
  });

  test("rows that another process removed after they were counted are not removed again", async () => {
    const { outbox, another, clock } = open();
    for (let n = 0; n < 40; n += 1) {
      clock.now += 1;
      await outbox.append(errorOf(`number ${n}`), "browser");
    }
    await filerOf(outbox).file();
    const over = { ...filedBounds, errors: 30 };
    const { rows } = another();
    let counted = 0;
    const overtaken: Rows = {
      now: () => outbox.rows.now(),
      change: (statements) => outbox.rows.change(statements),
      async select<Row extends object>(statement: Statement) {
        const found = await outbox.rows.select<Row>(statement);
        if (/count\(.*\{errors\}$/.test(statement.text) && counted++ === 0) {
          await pruneRows(rows, over, clock.now);
        }
        return found;
      },
    };
    await pruneRows(overtaken, over, clock.now);
    expect(counted).toBeGreaterThan(0);
    expect(await rowsIn(outbox)).toBe(30);
  });

  test("an error that can't be resolved in time is filed when it is, or after a minute as it came", async () => {
    const { outbox, clock } = open();
    let resolver = late;
    const filer = filerOf(outbox, { resolver: (...args) => resolver(...args) });
    await outbox.append(thrownIn("static/chunks/a", 1), "browser");
    await filer.file();
    expect(await rowsIn(outbox)).toBe(0);
    resolver = found;
    await filer.file();
    expect(await rowsIn(outbox)).toBe(0);
    clock.now += 2000;
    await filer.file();
    expect(await rowsIn(outbox)).toBe(1);
    resolver = late;
    await outbox.append(thrownIn("static/chunks/a", 1), "browser");
    await filer.file();
    clock.now += 60_000;
    await filer.file();
    expect((await groupsIn(outbox)).map(({ count }) => count)).toEqual([1, 1]);
  });

  test("an error that needs no maps waits for none that does", async () => {
    const { outbox } = open();
    const never: FrameResolver = () => new Promise(() => {});
    const filer = filerOf(outbox, { resolver: never });
    await outbox.append(thrownIn("static/chunks/a", 1), "browser");
    await outbox.append(errorOf("at once"), "browser");
    void filer.file();
    await expect
      .poll(async () => (await groupsIn(outbox)).map((one) => one.message))
      .toEqual(["at once"]);
    await outbox.append(errorOf("later"), "browser");
    void filer.file();
    await expect.poll(() => rowsIn(outbox)).toBe(2);
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
    await Promise.all(stores.map((store) => filerOf(store, { resolver: counting }).file()));
    expect(await rowsIn(outbox)).toBe(100);
    // Once for the group, and once for the page.
    expect(seen.length).toBe(200);
    expect(new Set(seen).size).toBe(100);
  });

  test("what a process was filing as it died is filed by another, once its claim has ended", async () => {
    const { outbox, another, clock } = open();
    const dead = filerOf(outbox, { release: "b2", resolver: () => new Promise(() => {}) });
    for (let n = 1; n <= 72; n += 1) {
      await outbox.append(thrownIn("static/chunks/a", n, { release: "b2" }), "browser");
    }
    void dead.file();
    // One batch is being resolved, the next one waits for it.
    await expect.poll(() => rowsIn(outbox, "filings")).toBe(64);
    const next = filerOf(another());
    await next.file();
    expect(await rowsIn(outbox)).toBe(8);
    clock.now += 30_000;
    await next.file();
    expect(await rowsIn(outbox)).toBe(72);
  });

  test("what a process has not filed when it stops is filed by another at once", async () => {
    const { outbox, another } = open();
    const stopped = filerOf(outbox, {
      release: "b2",
      resolver: () => new Promise(() => {}),
    });
    for (let n = 1; n <= 20; n += 1) {
      await outbox.append(thrownIn("static/chunks/a", n, { release: "b2" }), "browser");
    }
    await stopped.stop(50);
    await filerOf(another()).file();
    expect(await rowsIn(outbox)).toBe(20);
  });

  test("a process that was frozen counts what it writes late, though the report is gone", async () => {
    const { outbox, another, clock } = open();
    let wake = () => {};
    const frozen = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const resolver: FrameResolver = async (...asked) => {
      await frozen;
      return found(...asked);
    };
    const filer = filerOf(outbox, { resolver });
    for (let n = 1; n <= 3; n += 1) {
      await outbox.append(thrownIn("static/a", n, { release: "b2" }), "browser");
    }
    const filed = filer.file();
    await expect.poll(() => rowsIn(outbox, "filings")).toBe(3);
    await outbox.rows.change([{ text: "delete from {reports}" }]);
    clock.now += 60_000;
    await pruneRows(another().rows, filedBounds, clock.now);
    wake();
    await filed;
    expect(await groupsIn(outbox)).toMatchObject([{ count: 3 }]);
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
  });

  test("a later call reads only what came since", async () => {
    const { outbox } = open();
    const filer = filerOf(outbox);
    let envelopes = 0;
    const { rows } = outbox;
    const counting: Rows = {
      now: () => rows.now(),
      change: (statements) => rows.change(statements),
      async select<Row extends object>(statement: Parameters<Rows["select"]>[0]) {
        const result = await rows.select<Row>(statement);
        if (/categories, envelope/.test(statement.text)) envelopes += result.length;
        return result;
      },
    };
    const reader = new Filer(counting, { release: "b2" });
    for (let n = 0; n < 50; n += 1) await outbox.append(errorOf(`error ${n}`), "browser");
    await Promise.all([reader.file(), reader.file()]);
    expect([await rowsIn(outbox), envelopes]).toEqual([50, 50]);
    await outbox.append(errorOf("new"), "browser");
    await reader.file();
    await filer.file();
    expect([await rowsIn(outbox), envelopes]).toEqual([51, 51]);
  });

  test("a report that the database refuses is set aside and counted, and holds up no other", async () => {
    const { outbox, clock } = open();
    const { rows } = outbox;
    const refusing: Rows = {
      now: () => rows.now(),
      select: (statement) => rows.select(statement),
      async change(statements) {
        if (statements.some(({ values }) => values?.includes("poison"))) {
          throw new OutboxError("malformed", "The row can't be stored.");
        }
        return rows.change(statements);
      },
    };
    const filer = new Filer(refusing, { release: "b2" });
    for (const message of ["before", "poison", "after"]) {
      await outbox.append(errorOf(message), "browser");
    }
    await filer.file();
    expect((await groupsIn(outbox)).map(({ message }) => message)).toEqual(["after", "before"]);
    expect(await new FiledReports(outbox).counts()).toMatchObject({ reports: 3, unreadable: 1 });
    clock.now += 60_000;
    await filer.file();
    expect(await rowsIn(outbox)).toBe(2);
  });

  test("a store that fails for a while loses nothing", async () => {
    const { outbox } = open();
    const { rows } = outbox;
    let fails = true;
    const failing: Rows = {
      now: () => rows.now(),
      select: (statement) => rows.select(statement),
      async change(statements) {
        if (fails) throw new OutboxError("full", "The disk is full.");
        return rows.change(statements);
      },
    };
    const filer = new Filer(failing, { release: "b2" });
    await outbox.append(errorOf("here"), "browser");
    await filer.file();
    fails = false;
    await filer.file();
    expect(await rowsIn(outbox)).toBe(1);
  });

  test.each([
    ["with a stack to resolve", thrownIn("static/chunks/a", 1, { release: "b2" })],
    ["without", errorOf("here")],
  ])("what could not be written is filed soon after: an error %s", async (_, report) => {
    const { outbox } = open();
    const { rows } = outbox;
    let failures = 0;
    const failing: Rows = {
      now: () => rows.now(),
      select: (statement) => rows.select(statement),
      async change(statements) {
        if (statements.some(({ text }) => text.includes("into {errors}")) && failures++ === 0) {
          throw new OutboxError("full", "The disk is full.");
        }
        return rows.change(statements);
      },
    };
    const filer = new Filer(failing, { release: "b2", resolver: found });
    await outbox.append(report, "browser");
    await filer.file();
    await filer.file();
    expect([failures, await rowsIn(outbox)]).toEqual([2, 1]);
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
    const unfiled = await outbox.rows.select({
      text: "select 1 from {filings} where done = 0 or fault is not null",
    });
    expect(unfiled).toEqual([]);
    expect(await rowsIn(outbox)).toBeGreaterThan(70);
  });

  test("feedback is filed whole, once, and beside the error that it is about", async () => {
    const { outbox, clock } = open();
    const about = someEventId();
    const whole = `${"word ".repeat(799)}end.`;
    const filer = filerOf(outbox);
    const said = envelope([["feedback", feedbackEvent(whole, about)]]);
    const older = envelope([["user_report", { event_id: about, comments: "older form" }]]);
    for (const one of [said, older, said, older]) await outbox.append(one, "browser");
    await outbox.append(envelope([["feedback", feedbackEvent("of nothing")]]), "browser");
    await filer.file();
    const feedback = new FiledFeedback(outbox.rows);
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
    await pruneRows(outbox.rows, { ...filedBounds, messages: 2 }, clock.now);
    expect(await feedback.count()).toBe(2);
    await pruneRows(outbox.rows, { ...filedBounds, messageBytes: 10 }, clock.now);
    expect(await feedback.count()).toBe(0);
  });

  test("stacks of browsers' errors, however many, leave the server's their share", async () => {
    const { outbox, clock } = open();
    const { rows } = outbox;
    const own: FrameResolver = async (frames) =>
      frames.map(({ function: name, colno }) => ({
        resolved: true,
        file: `pages/${colno}.tsx`,
        line: Number(colno),
        column: 1,
        function: String(name),
        own: true,
        code: undefined,
      }));
    const filer = filerOf(outbox, { resolver: own });
    const file = async (origin: "browser" | "server", from: number) => {
      for (let n = from; n < from + 40; n += 1) {
        clock.now += 1;
        await outbox.append(thrownIn("server/pages/a", n, { release: "b2" }), origin);
      }
      await filer.file();
    };
    const bytes = async (where = "1 = 1") => {
      const text = `select cast(coalesce(sum(s.size), 0) as bigint) as bytes from {stacks} as s
        where exists (select 1 from {errors} as e where e.stack_id = s.id and ${where})`;
      return (await rows.select<{ bytes: number }>({ text }))[0]?.bytes ?? 0;
    };
    const server = () => bytes("e.origin = 'server'");
    await file("server", 1);
    const whole = await server();
    await file("browser", 1000);
    // All of the server's are within a quarter.
    await pruneRows(rows, { ...filedBounds, stackBytes: whole * 4 }, clock.now);
    await file("browser", 2000);
    await file("browser", 3000);
    await file("browser", 4000);
    await pruneRows(rows, { ...filedBounds, stackBytes: whole * 4 }, clock.now);
    expect(await server()).toBe(whole);
    expect(await bytes()).toBeLessThanOrEqual(whole * 4);
    // Beyond their quarter, the oldest go, whosever they are.
    await pruneRows(rows, { ...filedBounds, stackBytes: whole }, clock.now);
    expect(await server()).toBeLessThanOrEqual(whole / 4);
    expect(await bytes()).toBeLessThanOrEqual(whole);
    expect(await bytes("e.origin = 'browser'")).toBeGreaterThan(0);
  });

  test("the newest errors are kept, by number, bytes and age, and decisions outlive them", async () => {
    const { outbox, clock } = open();
    const { rows } = outbox;
    const filer = filerOf(outbox, { resolver: found });
    for (let n = 0; n < 30; n += 1) {
      clock.now += 1;
      const frame = thrownIn("static/chunks/a", 1, { fingerprint: [`${n}`], release: "b2" });
      await outbox.append(frame, "browser");
    }
    await filer.file();
    const newest = (await groupsIn(outbox))[0];
    const oldest = (await groupsIn(outbox)).at(-1);
    await decide(rows, oldest?.id ?? "", "ignored", clock.now);
    const prune = (over: Partial<typeof filedBounds>, now = clock.now) =>
      pruneRows(rows, { ...filedBounds, ...over }, now);
    await outbox.append(thrownIn("static/chunks/a", 1, { fingerprint: ["29"] }), "browser");
    await filer.file();
    await prune({ errors: 20 });
    expect(await rowsIn(outbox)).toBe(20);
    expect((await groupsIn(outbox))[0]).toMatchObject({ id: newest?.id, count: 2 });
    expect((await groupsIn(outbox))[0]?.id).toBe(newest?.id);
    await prune({ errorBytes: 5_000 });
    expect(await rowsIn(outbox)).toBeGreaterThan(3);
    expect(await rowsIn(outbox)).toBeLessThan(15);
    const stacks = () => rows.select({ text: "select id from {stacks}" });
    expect(await stacks()).toHaveLength(1);
    await prune({ stackBytes: 10 });
    expect(await stacks()).toEqual([]);
    await prune({}, clock.now + filedBounds.maxAgeMs + 1);
    expect(await rowsIn(outbox)).toBe(0);
    expect(await decisionsIn(rows)).toMatchObject([{ group: oldest?.id, state: "ignored" }]);
    // The reports are still there, and are not filed again.
    await filer.file();
    expect(await rowsIn(outbox)).toBe(0);
  });
});

/** One envelope with the items of both. */
function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const items = Buffer.from(other).toString().split("\n").slice(1).join("\n");
  return Buffer.from(`${Buffer.from(one).toString().trimEnd()}\n${items}`);
}

function errorOf(message: string, over: Record<string, unknown> = {}): Uint8Array {
  const exception = { values: [{ type: "Error", value: message }] };
  return envelope([["event", errorEvent({ exception, ...over })]]);
}
