import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ReportedFrame, ResolveOptions } from "@/packages/relay/src/source-maps/frames";
import {
  frameResolver,
  MapThread,
  type MapThreadOptions,
} from "@/packages/relay/src/source-maps/map-thread";
import { encodeMappings, mapsFolder, simpleMap, writeMap } from "@/tests/support/source-maps";

/** Far more than is needed, also on a busy machine. */
const options: ResolveOptions = { timeoutMs: 15_000 };

const source = `export function outer() {
  return inner();
}

function inner() {
  throw new Error("broken");
}
`;
const good = simpleMap("turbopack:///[project]/lib/a.ts", source, [
  [0, 0, 1, 9],
  [50, 0, 5, 8],
]);

function resolverFor(folder: string, more?: Partial<MapThreadOptions>) {
  const thread = new MapThread({ folder, ...more });
  onTestFinished(() => thread.close());
  return frameResolver(thread, "b1");
}

const late = { resolved: false, late: true };
const unknown = { resolved: false, late: false };

function frame(file: string, colno = 51, reported = "r") {
  return {
    filename: `https://a.example/_next/${file}?dpl=1`,
    lineno: 1,
    colno,
    function: reported,
  };
}

test("frames become places in the source, others stay marked, in the same order", async () => {
  const folder = mapsFolder();
  writeMap(folder, "static/chunks/a.js", good);
  const frames = [
    { filename: "node:internal/timers", lineno: 3, colno: 4, function: "listOnTimeout" },
    frame("static/chunks/a.js", 1),
    frame("static/chunks/none.js"),
    frame("static/chunks/a.js"),
  ];
  expect(await resolverFor(folder)(frames, options)).toEqual([
    unknown,
    {
      resolved: true,
      file: "lib/a.ts",
      line: 2,
      column: 10,
      function: "outer",
      own: true,
      code: {
        before: ["export function outer() {"],
        line: "  return inner();",
        after: ["}", "", "function inner() {", '  throw new Error("broken");', "}"],
      },
    },
    unknown,
    expect.objectContaining({ resolved: true, file: "lib/a.ts", line: 6, function: "inner" }),
  ]);
});

test("where the source around says nothing, a function is called as it was reported", async () => {
  const folder = mapsFolder();
  writeMap(folder, "static/chunks/a.js", simpleMap("../../../a.ts", "throw 1;", [[0, 0, 0, 0]]));
  const frames = ["reported", "r"].map((name) => frame("static/chunks/a.js", 1, name));
  const found = await resolverFor(folder)(frames, options);
  expect(found.map((place) => place.resolved && place.function)).toEqual(["reported", undefined]);
});

test("the sections of a real bundle resolve", async () => {
  const folder = mapsFolder();
  const root = mapsFolder();
  writeFileSync(join(root, "inner.js"), `export ${source.slice(source.indexOf("function inner"))}`);
  writeFileSync(
    join(root, "entry.js"),
    'import { inner } from "./inner.js";\n\nexport function start() {\n  inner();\n}\n',
  );
  await build({
    configFile: false,
    logLevel: "error",
    root,
    build: {
      sourcemap: true,
      minify: true,
      lib: { entry: "entry.js", formats: ["es"], fileName: () => "bundle.js" },
    },
  });
  const code = readFileSync(join(root, "dist/bundle.js"), "utf8");
  const map = JSON.parse(readFileSync(join(root, "dist/bundle.js.map"), "utf8"));
  map.sources = map.sources.map((name: string) => name.replace("..", "turbopack:///[project]"));
  const offset = { line: 2, column: 0 };
  writeMap(folder, "static/chunks/bundle.js", {
    version: 3,
    sections: [
      { offset: { line: 0, column: 0 }, map: good },
      { offset, map },
    ],
  });
  const lines = code.split("\n");
  const line = lines.findIndex((text) => text.includes("Error("));
  const colno = (lines[line] ?? "").indexOf("Error(") + 1;
  const [found] = await resolverFor(folder)(
    [{ ...frame("static/chunks/bundle.js", colno), lineno: line + 1 + offset.line }],
    options,
  );
  expect(found).toMatchObject({ file: "inner.js", line: 2, function: "inner" });
});

describe("a frame stays as it is where its map", () => {
  const identity = (text: string) => Buffer.from(text);
  const damaged: [string, (folder: string, file: string) => void][] = [
    ["is missing", () => {}],
    ["is empty", (folder, file) => void writeMap(folder, file, "", { compress: identity })],
    [
      "is not compressed",
      (folder, file) => void writeMap(folder, file, good, { compress: identity }),
    ],
    ["is cut off", (folder, file) => truncateSync(writeMap(folder, file, good), 40)],
    [
      "is cut off before it was compressed",
      (folder, file) => void writeMap(folder, file, JSON.stringify(good).slice(0, 60)),
    ],
    [
      "is a folder",
      (folder, file) => void mkdirSync(join(folder, "b1", `${file}.map.gz`), { recursive: true }),
    ],
    [
      "has 50 MB",
      (folder, file) =>
        void writeMap(folder, file, { ...good, sourcesContent: ["x".repeat(50_000_000)] }),
    ],
    [
      "has no such position",
      (folder, file) =>
        void writeMap(folder, file, { ...good, mappings: encodeMappings([[[70, 0, 0, 0]]]) }),
    ],
  ];

  test.each(damaged)("%s", async (what, damage) => {
    const folder = mapsFolder();
    const [bad, fine] = ["static/chunks/bad.js", "static/chunks/fine.js"];
    writeMap(folder, fine, good);
    damage(folder, bad);
    const failures: Error[] = [];
    const resolve = resolverFor(folder, { onFailure: (error) => failures.push(error) });
    for (const _round of [1, 2]) {
      const found = await resolve([frame(bad), frame(fine), frame(bad)], options);
      expect(found.map(({ resolved }) => resolved)).toEqual([false, true, false]);
    }
    // Once: it is not tried again.
    const told = /^(is (a folder|empty|not|cut)|has 50)/.test(what);
    expect(failures.map(({ message }) => message)).toEqual(
      told ? [expect.stringMatching(/b1.static.chunks.bad\.js\.map\.gz can't be used$/)] : [],
    );
  });
});

test("without maps, or without frames of a build, no thread is started", async () => {
  // A thread would be waited for, and found too late.
  const none = { timeoutMs: 0 };
  const nowhere = resolverFor(join(mapsFolder(), "nowhere"), { startMs: 0 });
  expect(await nowhere([frame("static/chunks/a.js")], none)).toEqual([unknown]);
  const empty = resolverFor(mapsFolder(), { startMs: 0 });
  expect(await empty([{ filename: "a.js", lineno: 1, colno: 1 }], none)).toEqual([unknown]);
});

/** It takes long to read: far longer than the others. */
const names = Array.from({ length: 2_000_000 }, (_, i) => `name${i}`);
const slow = gzipSync(JSON.stringify({ ...good, names }));
const [good1, slow1, slow2, broken1] = ["good", "slow", "slow2", "broken"].map((name) =>
  frame(`static/chunks/${name}.js`),
) as [ReportedFrame, ReportedFrame, ReportedFrame, ReportedFrame];

/** A resolver of a folder with a good, a slow and a broken map. */
function watched(more?: Partial<MapThreadOptions>) {
  const folder = mapsFolder();
  writeMap(folder, "static/chunks/good.js", good);
  for (const name of ["slow", "slow2"]) {
    writeMap(folder, `static/chunks/${name}.js`, "", { compress: () => slow });
  }
  writeMap(folder, "static/chunks/broken.js", "{");
  const failures: string[] = [];
  const onFailure = ({ message }: Error) => void failures.push(message.replace(/.*[\\/]/, ""));
  return { folder, resolve: resolverFor(folder, { ...more, onFailure }), failures };
}

test("when the time is over, what was found stays found, and the rest is not looked up", async () => {
  const { resolve, failures } = watched();
  await resolve([good1], options);
  const other = frame("static/chunks/good.js", 1);
  // The newest call is looked up first.
  const found = await resolve([broken1, slow2, slow1, other], { timeoutMs: 200 });
  // A fast machine may find the first of the slow ones.
  expect(found.slice(0, 2)).toEqual([late, late]);
  expect(found[3]).toMatchObject({ resolved: true });
  for (const column of [9, 10]) await resolve([frame("static/chunks/good.js", column)], options);
  expect(failures).toEqual([]);
});

test("the first frames of a process wait for the start of the thread on a busy machine", async () => {
  const { resolve } = watched({ startMs: 15_000 });
  const timeoutMs = 1_500;
  const first = resolve([good1], { timeoutMs });
  // This thread does something else for so long that the time would be over.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * timeoutMs);
  expect(await first).toMatchObject([{ resolved: true }]);
});

test("frames stay as they are where the thread takes too long to start", async () => {
  const { resolve } = watched({ startMs: 1 });
  expect(await resolve([good1], { timeoutMs: 0 })).toEqual([late]);
  expect(await resolve([good1], options)).toMatchObject([{ resolved: true }]);
});

describe("what browsers report", () => {
  const browser = { ...options, origin: "browser" } as const;
  const server = { ...options, origin: "server" } as const;

  test("is answered unresolved at once when its share of the time is used up, the server's is not", async () => {
    const { resolve } = watched({ publicBurstMs: 0 });
    expect(await resolve([good1], browser)).toEqual([late]);
    const found = await resolve([good1], server);
    expect(found).toMatchObject([{ resolved: true }]);
    // A burst of the same errors is found in memory.
    const other = frame("static/chunks/good.js", 1);
    expect(await resolve([good1, other], browser)).toEqual([...found, late]);
  });

  test("resolves again as soon as there is time again", async () => {
    const { resolve } = watched({ publicBurstMs: 0.1 });
    // Reading the map takes more than there is.
    expect(await resolve([good1], browser)).toMatchObject([{ resolved: true }]);
    const other = frame("static/chunks/good.js", 1);
    expect(await resolve([other], browser)).toEqual([late]);
    const again = async () => (await resolve([other], browser))[0]?.resolved;
    await vi.waitFor(async () => expect(await again()).toBe(true), 60_000);
  });

  test("waits for the server's, beyond one map, and finds it known then", async () => {
    const { resolve } = watched({ publicBurstMs: 60_000 });
    await resolve([good1], options);
    const order: string[] = [];
    const ask = async (file: string, asked: ResolveOptions) => {
      const [found] = await resolve([frame(file, 1)], asked);
      order.push(`${asked.origin} ${found?.resolved}`);
    };
    await Promise.all([
      ask("static/chunks/slow.js", browser),
      ask("static/chunks/good.js", browser),
      ask("static/chunks/good.js", server),
    ]);
    expect(order).toEqual(["browser true", "server true", "browser true"]);
  });
});

test.each(["browser", "server"] as const)(
  "of more requests of a %s at once than there is room for, the rest is unresolved",
  async (origin) => {
    const { resolve } = watched();
    const other = origin === "browser" ? "server" : "browser";
    const many = Array.from({ length: 50 }, () => resolve([good1], { ...options, origin }));
    const one = resolve([good1], { ...options, origin: other });
    const answers = await Promise.all(many);
    // One that is looked up, and 16 that wait.
    expect(answers.findIndex(([found]) => !found?.resolved)).toBe(17);
    expect(answers.slice(17)).toEqual(Array(33).fill([late]));
    expect(await one).toMatchObject([{ resolved: true }]);
  },
);

test("a map that takes too long ends the thread, and is not tried again", async () => {
  const { resolve, failures } = watched({ maxMapMs: 5 });
  expect(await resolve([slow1], options)).toEqual([unknown]);
  expect(await resolve([slow1], options)).toEqual([unknown]);
  expect(failures).toEqual(["slow.js.map.gz can't be used"]);
});

test("of very many frames only the last ones count", async () => {
  const { resolve } = watched();
  const found = await resolve(Array(10_000).fill(good1), options);
  expect(found).toHaveLength(10_000);
  expect(found.findIndex(({ resolved }) => resolved)).toBe(9750);
  expect(found[0]).toEqual(late);
});

test("a server's file is taken for the running build's unless another is named", async () => {
  const folder = mapsFolder();
  const old = { ...good, sources: ["turbopack:///[project]/lib/old.ts"] };
  writeMap(folder, "server/chunks/a.js", old, { build: "b0" });
  writeMap(folder, "server/chunks/a.js", good);
  const resolve = resolverFor(folder);
  const frames = [{ filename: "/srv/.next/server/chunks/a.js", lineno: 1, colno: 51 }];
  expect(await resolve(frames, options)).toMatchObject([{ file: "lib/a.ts" }]);
  expect(await resolve(frames, { ...options, build: "b0" })).toMatchObject([
    { file: "lib/old.ts" },
  ]);
  expect(await resolve(frames, { ...options, build: "2.1.0" })).toMatchObject([
    { file: "lib/a.ts" },
  ]);
});

test("a place that was found is known from then on, also without the map", async () => {
  const { folder, resolve } = watched();
  const first = await resolve([good1], options);
  expect(first).toMatchObject([{ resolved: true, file: "lib/a.ts", line: 6 }]);
  rmSync(folder, { recursive: true });
  expect(await resolve([good1], { timeoutMs: 0 })).toEqual(first);
  expect(await resolve([frame("static/chunks/good.js", 1)], options)).toEqual([unknown]);
});

test("of the places that are known, the thousand used last stay", async () => {
  const { folder, resolve } = watched();
  const mappings = Array.from({ length: 1_001 }, (_, i): [number, 0, 0, 0] => [i, 0, 0, 0]);
  writeMap(folder, "static/chunks/many.js", simpleMap("../../../a.ts", "a", mappings));
  const places = mappings.map(([column]) => frame("static/chunks/many.js", column + 1));
  for (let i = 0; i < 1_000; i += 200) await resolve(places.slice(i, i + 200), options);
  await resolve(places.slice(0, 1), options);
  await resolve(places.slice(1_000), options);
  rmSync(folder, { recursive: true });
  const found = await resolve(places.slice(0, 2), options);
  expect(found.map(({ resolved }) => resolved)).toEqual([true, false]);
});

test("places of the same file in two builds are two", async () => {
  const folder = mapsFolder();
  writeMap(folder, "server/chunks/a.js", good, { build: "b0" });
  writeMap(folder, "server/chunks/a.js", { ...good, sources: ["turbopack:///[project]/lib/b.ts"] });
  const resolver = resolverFor(folder);
  const ask = (build?: string) =>
    resolver([{ ...frame(""), filename: "/app/.next/server/chunks/a.js" }], { ...options, build });
  expect(await ask()).toMatchObject([{ file: "lib/b.ts" }]);
  expect(await ask("b0")).toMatchObject([{ file: "lib/a.ts" }]);
  expect(await ask()).toMatchObject([{ file: "lib/b.ts" }]);
});
