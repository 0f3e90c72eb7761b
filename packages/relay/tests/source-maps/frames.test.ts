import { expect, test } from "vitest";
import { builtPosition, readableName } from "@/packages/relay/src/source-maps/frames";

test.each([
  ["https://example.com/_next/static/chunks/0a-b_c.js", "static/chunks/0a-b_c.js"],
  ["https://example.com/shell/_next/static/chunks/0a.js?dpl=v1", "static/chunks/0a.js"],
  ["https://cdn.example.com/assets/_next/static/chunks/0a.js#x", "static/chunks/0a.js"],
  ["app:///_next/static/chunks/pages/%5Bid%5D.js", "static/chunks/pages/[id].js"],
  ["/srv/app/.next/server/chunks/ssr/[root]__0a._.js", "server/chunks/ssr/[root]__0a._.js"],
  ["/srv/.next/standalone/.next/server/pages/index.js", "server/pages/index.js"],
  ["file:///srv/app/.next/server/chunks/0a.js", "server/chunks/0a.js"],
  ["/srv/app/.next/dev/server/chunks/ssr/[root]__0a._.js", "server/chunks/ssr/[root]__0a._.js"],
  ["C:\\app\\.next\\server\\chunks\\0a.js", "server/chunks/0a.js"],
  ["/_next/static/a/_next/static/b.js", "static/b.js"],
  [".next/server/chunks/100%.js", "server/chunks/100%.js"],
])("%s is the build's file %s", (path, file) => {
  const position = { file, line: 0, column: 41 };
  expect(builtPosition({ filename: path, lineno: 1, colno: 42 })).toEqual(position);
  expect(builtPosition({ abs_path: path, filename: "x", lineno: 1, colno: 42 })).toEqual(position);
});

test.each([
  ["node:internal/process/task_queues"],
  ["/srv/app/node_modules/next/dist/server/base-server.js"],
  ["https://example.com/static/chunks/0a.js"],
  ["https://example.com/x_next/static/chunks/0a.js"],
  ["/srv/app/.next/cache/source-maps/0a.js"],
  ["<anonymous>"],
  [`/_next/static/${"a".repeat(500)}.js`],
  ["/_next/static/.js"],
  ["/_next/static/".repeat(30)],
  [undefined],
  [["/_next/static/0a.js"]],
])("%s is no file of a build", (path) => {
  expect(builtPosition({ filename: path, lineno: 1, colno: 1 })).toBeUndefined();
});

test.each([
  [0, 1],
  [1, 0],
  [-1, 1],
  [1.5, 1],
  ["1", 1],
  [1, undefined],
  [Number.NaN, 1],
  [1, 1e300],
  [2 ** 31, 1],
  [1, 2 ** 31],
  [2 ** 32 + 1, 1],
  [1, 2 ** 53 - 1],
  [[[1]], 1],
  [1, {}],
])("line %s and column %s are no position", (lineno, colno) => {
  expect(builtPosition({ filename: "/_next/static/0a.js", lineno, colno })).toBeUndefined();
});

test("the last line and column that count", () => {
  const last = 2 ** 31 - 1;
  const frame = { filename: "/_next/static/0a.js", lineno: last, colno: last };
  expect(builtPosition(frame)).toMatchObject({ line: last - 1, column: last - 1 });
});

test.each([
  ["failInHandler", "failInHandler"],
  ["Object.onClick", "Object.onClick"],
  ["r", undefined],
  ["async ea", undefined],
  ["Object.r", undefined],
  ["new t", undefined],
  ["", undefined],
  ["<anonymous>", undefined],
  ["?", "?"],
  [7, undefined],
])("the reported name %s is read as %s", (reported, name) => {
  expect(readableName(reported)).toBe(name);
});
