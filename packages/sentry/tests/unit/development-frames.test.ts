import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { developmentFrames } from "@/packages/sentry/src/server/development-frames";
import { servedOrigin } from "@/packages/sentry/src/shared/environment/runtime";
import { listen } from "@/tests/support/listening";

/** As Next 16.4 draws it. */
const picture = [
  "  \u001b[90m12 |\u001b[0m",
  "  \u001b[90m13 |\u001b[0m \u001b[36mfunction\u001b[0m failInHandler() {",
  '\u001b[31m\u001b[1m>\u001b[0m \u001b[90m14 |\u001b[0m   \u001b[36mthrow\u001b[0m new Error("|>");',
  "  \u001b[90m   |\u001b[0m         \u001b[31m\u001b[1m^\u001b[0m",
  "  \u001b[90m15 |\u001b[0m }",
].join("\n");

function answer(file: string, { line1 = 14, ignored = false, code = null as string | null } = {}) {
  const originalStackFrame = { file, line1, column1: 9, ignored, methodName: "x", arguments: [] };
  return { status: "fulfilled", value: { originalStackFrame, originalCodeFrame: code } };
}

function distDir({ ownFolder = true } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "signpost-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  if (ownFolder) mkdirSync(join(folder, "dev"));
  return folder;
}

const chunk = { filename: "http://localhost:3000/shell/_next/static/chunks/%5Broot%5D.js" };
const at = { lineno: 1943, colno: 11 };

test("frames of what Next has compiled are asked for in one request, by their files", async () => {
  const asked: { frames: unknown[]; isServer: boolean }[] = [];
  const { origin } = await listen(async (request, response) => {
    expect([request.method, request.url]).toEqual(["POST", "/__nextjs_original-stack-frames"]);
    asked.push((await json(request)) as (typeof asked)[0]);
    response.end(
      JSON.stringify([
        answer("pages/failures/client-event.tsx", { code: picture }),
        answer("node_modules/react-dom/client.js", { ignored: true }),
        answer("/srv/app/.next/dev/static/chunks/b.js"),
        { status: "rejected", reason: "Error: no map" },
      ]),
    );
  });
  const folder = distDir();
  const resolve = developmentFrames(
    () => origin,
    () => folder,
  );
  const module = "webpack-internal:///(pages-dir-node)/./pages/a.tsx";
  const frames = [
    { ...chunk, ...at, function: "failInHandler" },
    { filename: "node:internal/process/task_queues", ...at },
    { filename: module, ...at, function: "a" },
    { filename: "/etc/passwd", ...at },
    { filename: "/srv/app/.next/dev/server/chunks/a.js", ...at },
    { filename: "http://localhost:3000/_next/static/chunks/b.js", lineno: 1, colno: 1 },
  ];
  const found = await resolve(frames, { timeoutMs: 5_000, origin: "server" });
  expect(asked).toMatchObject([{ isServer: true }]);
  const position = { arguments: [], line1: 1943, column1: 11 };
  expect(asked[0]?.frames).toEqual([
    { ...position, file: join(folder, "dev/static/chunks/[root].js"), methodName: "failInHandler" },
    { ...position, file: module, methodName: "a" },
    { ...position, file: join(folder, "dev/server/chunks/a.js"), methodName: "<unknown>" },
    expect.objectContaining({ file: join(folder, "dev/static/chunks/b.js"), line1: 1 }),
  ]);
  const unknown = { resolved: false, late: false };
  expect(found).toEqual([
    {
      resolved: true,
      file: "pages/failures/client-event.tsx",
      line: 14,
      column: 9,
      function: "failInHandler",
      own: true,
      code: {
        before: ["", "function failInHandler() {"],
        line: '  throw new Error("|>");',
        after: ["}"],
      },
    },
    unknown,
    expect.objectContaining({ file: "node_modules/react-dom/client.js", own: false }),
    unknown,
    unknown,
    unknown,
  ]);
});

test("before Next 16, files are in its folder itself", async () => {
  const asked: { frames: { file: string }[] }[] = [];
  const { origin } = await listen(async (request, response) => {
    asked.push((await json(request)) as (typeof asked)[0]);
    response.end("[]");
  });
  const folder = distDir({ ownFolder: false });
  await developmentFrames(
    () => origin,
    () => folder,
  )([{ ...chunk, ...at }], { timeoutMs: 5_000 });
  expect(asked[0]?.frames[0]?.file).toBe(join(folder, "static/chunks/[root].js"));
});

test.each([
  ["answers with an error", 500, "no"],
  ["does not know the address", 200, "<html>"],
])("frames are late where the server %s", async (_, status, body) => {
  const { origin } = await listen((_request, response) => {
    response.writeHead(status).end(body);
  });
  const resolve = developmentFrames(
    () => origin,
    () => "/srv/app/.next",
  );
  const frames = [{ ...chunk, ...at }, { filename: "<anonymous>" }];
  const late = [
    { resolved: false, late: true },
    { resolved: false, late: false },
  ];
  expect(await resolve(frames, { timeoutMs: 5_000 })).toEqual(late);
});

test("where the server's port is not known, nobody is asked", async () => {
  const resolve = developmentFrames(
    () => servedOrigin({}),
    () => "/srv/app/.next",
  );
  const found = await resolve([{ ...chunk, ...at }], { timeoutMs: 5_000 });
  expect(found).toEqual([{ resolved: false, late: false }]);
});
