import { expect, test } from "vitest";
import type {
  FrameResolver,
  ReportedFrame,
  ResolvedFrame,
} from "@/packages/relay/src/source-maps/frames";
import { frameResolver, MapThread } from "@/packages/relay/src/source-maps/map-thread";
import { resolveEvent } from "@/packages/relay/src/source-maps/resolve-event";
import { mapsFolder, simpleMap, writeMap } from "@/tests/support/source-maps";

const options = { timeoutMs: 15_000 };

/** Resolves every frame whose name begins with "own" or "library". */
function standIn(code?: string): FrameResolver {
  return async (frames: readonly ReportedFrame[]) =>
    frames.map(({ filename }): ResolvedFrame => {
      const own = String(filename).startsWith("own");
      if (!own && !String(filename).startsWith("library")) return { resolved: false, late: false };
      return {
        resolved: true,
        file: own ? "lib/a.ts" : "node_modules/a.js",
        line: 7,
        column: 3,
        function: own ? "load" : undefined,
        own,
        code: own && code !== undefined ? { before: ["0"], line: code, after: ["1"] } : undefined,
      };
    });
}

interface Frame extends ReportedFrame {
  [field: string]: unknown;
}

function eventOf(...stacks: Frame[][]) {
  const values = stacks.map((frames) => ({ type: "Error", stacktrace: { frames } }));
  return { event_id: "e1", release: "r1", exception: { values } };
}

test("frames get their place under the protocol's names, and all else stays", async () => {
  const event = eventOf([
    { filename: "elsewhere.js", function: "r", lineno: 1, vars: { a: 1 } },
    {
      filename: "library.js",
      function: "r",
      lineno: 1,
      in_app: true,
      context_line: "!function(){",
    },
    { filename: "own.js", function: "r", lineno: 1, colno: 9, module: "own", platform: "node" },
  ]);
  const before = structuredClone(event);
  const resolved = await resolveEvent(event, options, standIn("load();"));
  expect(event).toEqual(before);
  expect(resolved).toEqual({
    ...before,
    exception: {
      values: [
        {
          type: "Error",
          stacktrace: {
            frames: [
              before.exception.values[0]?.stacktrace.frames[0],
              {
                filename: "node_modules/a.js",
                abs_path: "app:///node_modules/a.js",
                lineno: 7,
                colno: 3,
                function: "?",
                in_app: false,
              },
              {
                filename: "lib/a.ts",
                abs_path: "app:///lib/a.ts",
                lineno: 7,
                colno: 3,
                function: "load",
                in_app: true,
                pre_context: ["0"],
                context_line: "load();",
                post_context: ["1"],
                platform: "node",
              },
            ],
          },
        },
      ],
    },
  });
});

test("an event in which nothing is resolved is the very same", async () => {
  const event = eventOf([{ filename: "elsewhere.js" }]);
  expect(await resolveEvent(event, options, standIn())).toBe(event);
});

test.each([
  [null],
  ["text"],
  [[]],
  [{}],
  [{ exception: null }],
  [{ exception: { values: "none" } }],
  [{ exception: { values: [null, 7, {}, { stacktrace: null }, { stacktrace: { frames: {} } }] } }],
  [{ exception: { values: [{ stacktrace: { frames: [null, 7] } }] } }],
  [{ exception: { values: [{ stacktrace: { frames: [] } }] } }],
  [{ type: "transaction", spans: [] }],
])("%j is handed back", async (event) => {
  expect(await resolveEvent(event, options, standIn())).toBe(event);
});

test.each([
  ["packages/relay/src/tunnel/tunnel.ts", false],
  ["packages/sentry/src/server/references.ts", false],
  ["packages/sentry/src/browser/functions/calls.ts", false],
  ["lib/server/api-route.ts", true],
  ["packages/orders/src/order.ts", true],
  ["pages/api/failure.ts", true],
])("a frame of %s is the app's own: %s", async (file, own) => {
  const resolver: FrameResolver = async ([frame]) => {
    const [resolved] = await standIn()(frame ? [frame] : [], options);
    return resolved ? [{ ...resolved, file } as ResolvedFrame] : [];
  };
  const { exception } = await resolveEvent(eventOf([{ filename: "own.js" }]), options, resolver);
  expect(exception.values[0]?.stacktrace.frames[0]).toMatchObject({ filename: file, in_app: own });
});

test("what the bundler has written, which no map knows, is not the app's", async () => {
  const place = { lineno: 1, colno: 2, in_app: true };
  const runtime = { filename: "https://a.example/_next/static/chunks/turbopack.js", ...place };
  const foreign = { filename: "https://b.example/c.js", ...place };
  const event = eventOf([runtime, foreign, { filename: "own.js", ...place }]);
  const { exception } = await resolveEvent(event, options, standIn());
  const own = exception.values[0]?.stacktrace.frames.map((frame: Frame) => frame.in_app);
  expect(own).toEqual([false, true, true]);
});

test("each error of a chain is resolved, whatever stands between them", async () => {
  const event = eventOf(
    [{ filename: "own.js" }],
    [],
    [{ filename: "x.js" }, { filename: "own.js" }],
  );
  event.exception.values.splice(1, 0, null as never);
  const resolved = await resolveEvent(event, options, standIn());
  const names = resolved.exception.values.map((value) =>
    value?.stacktrace.frames.map(({ filename }) => filename),
  );
  expect(names).toEqual([["lib/a.ts"], undefined, [], ["x.js", "lib/a.ts"]]);
});

test("of many frames, those nearest to the error get their code", async () => {
  const frames = Array.from({ length: 60 }, () => ({ filename: "own.js" }));
  const resolved = await resolveEvent(eventOf(frames), options, standIn("load();"));
  const withCode = resolved.exception.values[0]?.stacktrace.frames.map(
    (frame: Frame) => frame.context_line !== undefined,
  );
  expect(withCode).toEqual([...Array(10).fill(false), ...Array(50).fill(true)]);
});

test("the event's release names the build, where it is one", async () => {
  const folder = mapsFolder();
  for (const build of ["b1", "r1"]) {
    const map = simpleMap(`turbopack:///[project]/${build}.ts`, "a", [[0, 0, 0, 0]]);
    writeMap(folder, "server/chunks/a.js", map, { build });
  }
  const thread = new MapThread({ folder });
  const event = eventOf([{ filename: "/srv/.next/server/chunks/a.js", lineno: 1, colno: 1 }]);
  const resolver = frameResolver(thread, "b1");
  const first = async (changed: object) => {
    const resolved = await resolveEvent({ ...event, ...changed }, options, resolver);
    return resolved.exception.values[0]?.stacktrace.frames[0]?.filename;
  };
  expect(await first({})).toBe("r1.ts");
  expect(await first({ release: "2.1.0" })).toBe("b1.ts");
  expect(await first({ release: 7 })).toBe("b1.ts");
  await thread.close();
});
