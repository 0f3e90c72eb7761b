import { expect, onTestFinished, test } from "vitest";
import { findGroupById } from "@/lib/inbox/error-groups";
import { ReportIndex } from "@/lib/inbox/report-index";
import type { StoredReport } from "@/lib/outbox/outbox";
import type { ReportedFrame } from "@/lib/stacks/frames";
import { MapThread } from "@/lib/stacks/map-thread";
import { type FrameResolver, frameResolver } from "@/lib/stacks/resolve-frames";
import { envelope, errorEvent, stored } from "@/tests/support/envelopes";
import { mapsFolder, simpleMap, writeMap } from "@/tests/support/source-maps";

/** A report of an error thrown in a minified chunk of a build. */
function thrownIn(chunk: string, colno: number, over: Record<string, unknown> = {}): Uint8Array {
  const frames = [
    { function: "dispatch", filename: "app:///lib.js", lineno: 1, colno: 1, in_app: false },
    {
      function: "r",
      filename: `https://a.example/_next/static/chunks/${chunk}.js`,
      lineno: 1,
      colno,
      in_app: true,
    },
  ];
  const values = [{ type: "TypeError", value: "broken", stacktrace: { frames } }];
  return envelope([["event", errorEvent({ exception: { values }, ...over })]]);
}

function indexOf(reports: StoredReport[], resolver: FrameResolver): ReportIndex {
  const source = {
    list: async ({ after, limit }: { after: number; limit: number }) =>
      reports.filter((one) => one.id > after).slice(0, limit),
    oldestIds: async () => ({
      important: reports[0]?.id,
      expendable: undefined,
      reports: reports.length,
    }),
    ids: async () => reports.map(({ id }) => id),
    drops: async () => [],
  };
  return new ReportIndex(source, resolver);
}

/** A page of two functions, in its second build with a comment in front. */
const first = "function load() {\n  fail();\n}\nfunction save() {\n  fail();\n}\n";
const second = `// New.\n${first}`;

test("the same fault is one error over two builds, and two faults in one file are two", async () => {
  const folder = mapsFolder();
  const page = "turbopack:///[project]/pages/a.tsx";
  const mapOf = (content: string, line: number) =>
    simpleMap(page, content, [
      [10, 0, line, 2],
      [20, 0, line + 3, 2],
    ]);
  writeMap(folder, "static/chunks/one.js", mapOf(first, 1), { build: "b1" });
  writeMap(folder, "static/chunks/two.js", mapOf(second, 2), { build: "b2" });
  const thread = new MapThread({ folder });
  onTestFinished(() => thread.close());
  const find = frameResolver(thread, "b2");
  const reports = [
    stored(1, thrownIn("one", 11, { release: "b1" })),
    stored(2, thrownIn("one", 21, { release: "b1" })),
    stored(3, thrownIn("two", 11, { release: "b2" })),
    stored(4, thrownIn("none", 11)),
  ];
  // Far more time than is needed, also on a busy machine.
  const index = indexOf(reports, (frames, options) =>
    find(frames, { ...options, timeoutMs: 15_000 }),
  );
  await expect
    .poll(
      async () =>
        (await index.look()).errors.map(({ releases, events }) => [releases, events.length]),
      { timeout: 15_000 },
    )
    .toEqual([
      [["1.0.0"], 1],
      [["b2", "b1"], 2],
      [["b1"], 1],
    ]);
});

test("a stack is resolved once, however many errors have it", async () => {
  let calls = 0;
  const resolver: FrameResolver = async (frames) => {
    calls += 1;
    return frames.map(() => ({ resolved: false, late: false }));
  };
  const reports = Array.from({ length: 300 }, (_, i) => stored(i + 1, thrownIn("one", 11)));
  const index = indexOf(reports, resolver);
  expect((await index.look()).errors).toHaveLength(1);
  reports.push(stored(301, thrownIn("one", 11)), stored(302, thrownIn("one", 12)));
  expect((await index.look()).errors).toHaveLength(2);
  expect(calls).toBe(2);
});

test("an error shows while its stack is being resolved, and its first address leads to it ever after", async () => {
  let mode: "hang" | "late" | "found" = "hang";
  const held: (() => void)[] = [];
  const resolver: FrameResolver = async (frames) => {
    if (mode === "hang") await new Promise<void>((resolve) => held.push(resolve));
    if (mode !== "found") return frames.map(() => ({ resolved: false, late: true }));
    return frames.map(({ function: name }) => ({
      resolved: true,
      file: "pages/a.tsx",
      line: 1,
      column: 1,
      function: String(name),
      own: true,
      code: undefined,
    }));
  };
  const index = indexOf([stored(1, thrownIn("one", 11)), stored(2, thrownIn("two", 99))], resolver);
  const before = (await index.look()).errors;
  expect(before).toHaveLength(2);
  mode = "late";
  for (const release of held) release();
  expect((await index.look()).errors).toHaveLength(2);
  mode = "found";
  await expect.poll(async () => (await index.look()).errors).toHaveLength(1);
  const { errors } = await index.look();
  for (const { id } of before) {
    expect(errors[0]?.id).not.toBe(id);
    expect(findGroupById(errors, id)).toBe(errors[0]);
  }
  expect(findGroupById(errors, "0".repeat(16))).toBeUndefined();
});

test("an error with a fingerprint of its own is not resolved", async () => {
  const resolver: FrameResolver = () => expect.unreachable();
  const reports = [11, 12].map((colno, i) =>
    stored(i + 1, thrownIn("one", colno, { fingerprint: ["mine"] })),
  );
  expect((await indexOf(reports, resolver).look()).errors).toHaveLength(1);
});

test("what waits is numbers and short texts, and takes no more than its share of the memory", async () => {
  const asked: ReportedFrame[] = [];
  let calls = 0;
  const resolver: FrameResolver = async (frames) => {
    calls += 1;
    asked.push(...frames);
    return frames.map(() => ({ resolved: false, late: false }));
  };
  const huge = (n: number) =>
    Array.from({ length: 50 }, (_, i) => ({
      function: "ж".repeat(200),
      filename: `https://a.example/_next/static/chunks/${n}-${i}.js`.padEnd(200, "ж"),
      abs_path: `https://a.example/_next/static/chunks/${n}-${i}.js`,
      lineno: i === 0 ? { any: ["thing"] } : 1,
      colno: i === 1 ? [[]] : 1,
    }));
  const reports = Array.from({ length: 900 }, (_, n) => {
    const values = [{ type: "E", value: "v", stacktrace: { frames: huge(n) } }];
    return stored(n + 1, envelope([["event", errorEvent({ exception: { values } })]]));
  });
  expect((await indexOf(reports, resolver).look()).reports).toBe(900);
  await expect.poll(() => calls).toBeGreaterThan(200);
  expect(calls).toBeLessThan(600);
  for (const { lineno, colno } of asked) {
    expect([typeof lineno, typeof colno].every((type) => /number|undefined/.test(type))).toBe(true);
  }
});

test("of very many stacks at once, the first ones are resolved", async () => {
  let calls = 0;
  const resolver: FrameResolver = async (frames) => {
    calls += 1;
    return frames.map(() => ({ resolved: false, late: false }));
  };
  const reports = Array.from({ length: 1100 }, (_, i) => stored(i + 1, thrownIn("one", i + 1)));
  const index = indexOf(reports, resolver);
  expect((await index.look()).errors).toHaveLength(1100);
  await expect.poll(() => calls).toBe(1000);
});
