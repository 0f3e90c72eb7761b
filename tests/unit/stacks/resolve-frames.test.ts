import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { MapThread, type MapThreadOptions } from "@/lib/stacks/map-thread";
import { frameResolver, type ResolveOptions, resolveFrames } from "@/lib/stacks/resolve-frames";
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

function threadFor(folder: string, more: Partial<MapThreadOptions> = {}): MapThread {
  const thread = new MapThread({ folder, ...more });
  onTestFinished(() => thread.close());
  return thread;
}

function resolverFor(folder: string, more?: Partial<MapThreadOptions>) {
  return frameResolver(threadFor(folder, more), "b1");
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

test("frames stay marked where the thread can't start, and that is told", async () => {
  const failures: string[] = [];
  const folder = mapsFolder();
  // A function can't be handed to a thread, so that starting one throws.
  const maxCacheBytes = (() => 0) as unknown as number;
  const resolver = resolverFor(folder, {
    maxCacheBytes,
    onFailure: ({ message }) => failures.push(message),
  });
  expect(await resolver([frame("static/chunks/a.js")], options)).toEqual([late]);
  expect(failures).toEqual(["The thread that reads source maps can't start"]);
});

test("frames stay marked where the build's id can't be read, and that is logged", async () => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const [folder, before] = [mapsFolder(), process.cwd()];
  onTestFinished(() => {
    process.chdir(before);
    written.mockRestore();
  });
  mkdirSync(join(folder, ".next", "BUILD_ID"), { recursive: true });
  process.chdir(folder);
  expect(await resolveFrames([frame("static/chunks/a.js")], options)).toEqual([late]);
  expect(String(written.mock.calls)).toContain("EISDIR");
});

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

test("where the source around says nothing, a function is called what its own caller calls", async () => {
  const folder = mapsFolder();
  const flat = simpleMap("turbopack:///[project]/a.ts", "load();\nthrow 1;", [
    [0, 0, 0, 0],
    [9, 0, 1, 0],
  ]);
  writeMap(folder, "static/chunks/own.js", flat);
  const library = { ...flat, sources: ["turbopack:///[project]/node_modules/a.js"] };
  writeMap(folder, "static/chunks/library.js", library);
  const top = frame("static/chunks/own.js", 10);
  const names = async (frames: ReturnType<typeof frame>[]) =>
    (await resolverFor(folder)(frames, options)).map((found) => found.resolved && found.function);
  expect(await names([frame("static/chunks/own.js", 1), top])).toEqual([undefined, "load"]);
  expect(await names([frame("static/chunks/library.js", 1), top])).toEqual([undefined, undefined]);
  expect(await names([frame("static/chunks/own.js", 10, "reported")])).toEqual(["reported"]);
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
      "has 10 million arrays",
      (folder, file) => void writeMap(folder, file, `{"mappings":[${"[],".repeat(10_000_000)}0]}`),
    ],
    [
      "has 30 million lines",
      (folder, file) => void writeMap(folder, file, { ...good, mappings: ";".repeat(30_000_000) }),
    ],
    [
      "leads out of the project",
      (folder, file) =>
        void writeMap(folder, file, { ...good, sources: ["../../../../../etc/passwd"] }),
    ],
    [
      "names an address",
      (folder, file) =>
        void writeMap(folder, file, { ...good, sources: ["https://example.com/a.js"] }),
    ],
    [
      "has sections of sections of itself",
      (folder, file) => {
        const offset = { line: 0, column: 0 };
        const map = { version: 3, sections: [{ offset, url: `${file}.map` }] };
        writeMap(folder, file, { version: 3, sections: [{ offset, map }] });
      },
    ],
    [
      "has no such position",
      (folder, file) =>
        void writeMap(folder, file, { ...good, mappings: encodeMappings([[[70, 0, 0, 0]]]) }),
    ],
    [
      "has mappings that are none",
      (folder, file) => void writeMap(folder, file, { ...good, mappings: "\u{1F600}!§" }),
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
    const told = /^(is (empty|not|cut)|has (50|10|30|sections|mappings))/.test(what);
    expect(failures.map(({ message }) => message)).toEqual(
      told ? [`The source map of ${bad} can't be used`] : [],
    );
  });
});

test("without maps, or without frames of a build, no thread is started", async () => {
  const nowhere = resolverFor(join(mapsFolder(), "nowhere"));
  expect(await nowhere([frame("static/chunks/a.js")], options)).toEqual([unknown]);
  // Reading a file as a folder would end the thread with an error.
  const file = join(mapsFolder(), "file");
  writeFileSync(file, "");
  expect(await resolverFor(file)([{ filename: "a.js" }], options)).toEqual([unknown]);
  expect(await resolverFor(file)([], options)).toEqual([]);
});

test("when the time is over, the frames stay as they are", async () => {
  const folder = mapsFolder();
  writeMap(folder, "static/chunks/a.js", good);
  const resolve = resolverFor(folder);
  const frames = [frame("static/chunks/a.js")];
  // No thread has started within no time.
  expect(await resolve(frames, { timeoutMs: 0 })).toEqual([late]);
  expect(await resolve(frames, options)).toMatchObject([{ resolved: true }]);
});

test("a map that takes too long ends the thread, and is not tried again", async () => {
  const folder = mapsFolder();
  const slow = { ...good, names: Array.from({ length: 400_000 }, (_, i) => `name${i}`) };
  writeMap(folder, "static/chunks/slow.js", slow);
  writeMap(folder, "static/chunks/fine.js", good);
  const failures: string[] = [];
  const onFailure = ({ message }: Error) => void failures.push(message);
  const resolve = resolverFor(folder, { maxMapMs: 5, onFailure });
  const frames = [frame("static/chunks/slow.js"), frame("static/chunks/fine.js")];
  expect(await resolve(frames, options)).toEqual([late, late]);
  expect(failures).toEqual(["The source map of static/chunks/slow.js took longer than 5 ms"]);
  expect(await resolve(frames.slice(0, 1), options)).toEqual([unknown]);
  expect(failures).toHaveLength(1);
});

test("a thread that dies answers all who wait, and another follows it", async () => {
  const folder = mapsFolder();
  const maps = join(folder, "maps");
  writeFileSync(maps, "Not a folder: the thread ends with an error.");
  const failures: string[] = [];
  const resolve = resolverFor(maps, { onFailure: ({ message }) => void failures.push(message) });
  const ask = () => resolve([frame("static/chunks/a.js")], options);
  expect(await Promise.all([ask(), ask(), ask()])).toEqual(Array(3).fill([late]));
  expect(failures).toEqual(["The thread that reads source maps has died"]);
  rmSync(maps);
  writeMap(maps, "static/chunks/a.js", good);
  expect(await ask()).toMatchObject([{ resolved: true }]);
});

test("more requests at once than there is room for are answered unresolved", async () => {
  const folder = mapsFolder();
  writeMap(folder, "static/chunks/a.js", good);
  const resolve = resolverFor(folder);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => resolve([frame("static/chunks/a.js")], options)),
  );
  const resolved = answers.filter(([found]) => found?.resolved);
  expect(resolved).toHaveLength(32);
  expect(answers.slice(32)).toEqual(Array(18).fill([late]));
  expect(await resolve([frame("static/chunks/a.js")], options)).toMatchObject([{ resolved: true }]);
});

test("of very many frames only the last ones count", async () => {
  const folder = mapsFolder();
  writeMap(folder, "static/chunks/a.js", good);
  const frames = Array.from({ length: 10_000 }, () => frame("static/chunks/a.js"));
  const found = await resolverFor(folder)(frames, options);
  expect(found).toHaveLength(10_000);
  expect(found.findIndex(({ resolved }) => resolved)).toBe(9750);
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
  const folder = mapsFolder();
  writeMap(folder, "static/chunks/a.js", good);
  const thread = threadFor(folder);
  const resolver = frameResolver(thread, "b1");
  const first = await resolver([frame("static/chunks/a.js")], options);
  expect(first).toMatchObject([{ resolved: true, file: "lib/a.ts", line: 6 }]);
  await thread.close();
  rmSync(folder, { recursive: true });
  expect(await resolver([frame("static/chunks/a.js")], { timeoutMs: 0 })).toEqual(first);
  expect(await resolver([frame("static/chunks/a.js", 1)], options)).toEqual([late]);
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
