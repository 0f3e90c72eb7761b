import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { MapThread, type MapThreadOptions } from "@/lib/source-maps/map-thread";
import {
  frameResolver,
  type ResolveOptions,
  resolveFrames,
} from "@/lib/source-maps/resolve-frames";
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
    const told = /^(is (empty|not|cut)|has (50|sections))/.test(what);
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

test("the first frames of a process wait for the start of the thread on a busy machine", async () => {
  const folder = mapsFolder();
  writeMap(folder, "static/chunks/a.js", good);
  const resolve = resolverFor(folder);
  const frames = [frame("static/chunks/a.js")];
  const timeoutMs = 1_500;
  const first = resolve(frames, { timeoutMs, startMs: 15_000 });
  // This thread does something else for so long that the time would be over.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * timeoutMs);
  expect(await first).toMatchObject([{ resolved: true }]);
});

test("frames stay as they are where the thread takes too long to start", async () => {
  const folder = mapsFolder();
  writeMap(folder, "static/chunks/a.js", good);
  const resolve = resolverFor(folder);
  const frames = [frame("static/chunks/a.js")];
  expect(await resolve(frames, { timeoutMs: 15_000, startMs: 1 })).toEqual([late]);
  expect(await resolve(frames, options)).toMatchObject([{ resolved: true }]);
});

/** They make a map slow to read. */
const names = Array.from({ length: 400_000 }, (_, i) => `name${i}`);

describe("what nobody waits for any more", () => {
  /** A resolver of a folder in which reading `broken.js` is told. */
  function watched(more?: Partial<MapThreadOptions>) {
    const folder = mapsFolder();
    writeMap(folder, "static/chunks/a.js", good);
    writeMap(folder, "static/chunks/slow.js", { ...good, names });
    writeMap(folder, "static/chunks/broken.js", "{");
    const failures: string[] = [];
    const onFailure = ({ message }: Error) => void failures.push(message);
    return { resolve: resolverFor(folder, { ...more, onFailure }), failures };
  }

  test("is not looked up", async () => {
    const { resolve, failures } = watched();
    const gone = Array.from({ length: 20 }, () =>
      resolve([frame("static/chunks/broken.js")], { timeoutMs: 0 }),
    );
    expect(await Promise.all(gone)).toEqual(gone.map(() => [late]));
    const own = await resolve([frame("static/chunks/a.js")], options);
    expect(own).toMatchObject([{ resolved: true }]);
    expect(failures).toEqual([]);
  });

  test("is stopped in the middle", async () => {
    const { resolve, failures } = watched();
    await resolve([frame("static/chunks/a.js")], options);
    // Reading the slow map takes longer than that.
    const frames = [frame("static/chunks/slow.js"), frame("static/chunks/broken.js")];
    expect(await resolve(frames, { timeoutMs: 5 })).toEqual([late, late]);
    await resolve([frame("static/chunks/a.js", 1)], options);
    expect(failures).toEqual([]);
  });

  test("takes room until the thread has answered it", async () => {
    const { resolve } = watched();
    const ask = () => resolve([frame("static/chunks/a.js")], options);
    const gone = Array.from({ length: 32 }, () =>
      resolve([frame("static/chunks/a.js")], { timeoutMs: 0 }),
    );
    await Promise.all(gone);
    expect(await ask()).toEqual([late]);
    await vi.waitFor(async () => expect(await ask()).toMatchObject([{ resolved: true }]), 15_000);
  });
});

describe("what browsers report", () => {
  const browser = { ...options, origin: "browser" } as const;
  const server = { ...options, origin: "server" } as const;

  test("is answered unresolved at once when its share of the time is used up, the server's is not", async () => {
    const folder = mapsFolder();
    writeMap(folder, "static/chunks/a.js", good);
    const resolve = resolverFor(folder, { publicTime: { burstMs: 0, share: 0 } });
    const known = [frame("static/chunks/a.js")];
    expect(await resolve(known, browser)).toEqual([late]);
    const found = await resolve(known, server);
    expect(found).toMatchObject([{ resolved: true }]);
    // A burst of the same errors is found in memory.
    expect(await resolve([...known, frame("static/chunks/a.js", 1)], browser)).toEqual([
      ...found,
      late,
    ]);
  });

  test("resolves again as soon as there is time again", async () => {
    const folder = mapsFolder();
    writeMap(folder, "static/chunks/slow.js", { ...good, names });
    writeMap(folder, "static/chunks/other.js", good);
    const resolve = resolverFor(folder, { publicTime: { burstMs: 5, share: 0.5 } });
    // Reading the slow map takes more than there is.
    const frames = [frame("static/chunks/slow.js"), frame("static/chunks/other.js")];
    expect((await resolve(frames, browser))[1]).toEqual(late);
    await vi.waitFor(
      async () =>
        expect(await resolve([frame("static/chunks/other.js")], browser)).toMatchObject([
          { resolved: true },
        ]),
      60_000,
    );
  });

  test("has half of the room, and the server's goes first", async () => {
    const folder = mapsFolder();
    const files = Array.from({ length: 20 }, (_, i) => `static/chunks/${i}.js`);
    for (const file of files) writeMap(folder, file, good);
    const resolve = resolverFor(folder);
    const order: string[] = [];
    const ask = async (file: string, asked: ResolveOptions) => {
      const [found] = await resolve([frame(file)], asked);
      if (found?.resolved) order.push(asked.origin ?? "");
      return found;
    };
    const answers = files.map((file) => ask(file, browser));
    const own = ask("static/chunks/0.js", server);
    expect((await Promise.all(answers)).filter((found) => found?.resolved)).toHaveLength(16);
    expect(await own).toMatchObject({ resolved: true });
    expect(order[0]).toBe("server");
  });
});

test("a build's name that no service allows is not looked for", async () => {
  const asked: (readonly string[])[] = [];
  class Recorder extends MapThread {
    override find(...[positions, request]: Parameters<MapThread["find"]>) {
      asked.push(request.builds);
      return super.find(positions, request);
    }
  }
  const thread = new Recorder({ folder: join(mapsFolder(), "nowhere") });
  const resolve = frameResolver(thread, "b1");
  for (const build of ["b".repeat(200), "b".repeat(201), "é".repeat(500_000)]) {
    expect(await resolve([frame("static/chunks/a.js")], { ...options, build })).toEqual([unknown]);
  }
  expect(asked).toEqual([["b".repeat(200), "b1"], ["b1"], ["b1"]]);
});

test("a map that takes too long ends the thread, and is not tried again", async () => {
  const folder = mapsFolder();
  writeMap(folder, "static/chunks/slow.js", { ...good, names });
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
