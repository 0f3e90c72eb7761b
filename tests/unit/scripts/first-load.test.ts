import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { firstLoadBudget, firstLoadReport, rewritesPrice } from "@/scripts/first-load";
import { temporaryFolder } from "@/tests/support/folders";

test("a page over its budget is named in a sentence, with what to do", () => {
  const pages = { "/_app": ["app.js"], "/": ["app.js", "home.js", "home.css"], "/b": ["b.js"] };
  const dist = temporaryFolder({
    "build-manifest.json": JSON.stringify({ pages, lowPriorityFiles: ["manifest.js"] }),
    ...Object.fromEntries(["app", "manifest", "home", "b"].map((name) => [`${name}.js`, "x"])),
  });
  const lines = firstLoadReport({ "/": { budget: 10 } }, dist);
  expect(lines).toHaveLength(4);
  expect(lines[1]).toMatch(/^\/ .* kB home\.js$/);
  // Three scripts of 21 bytes each; no style sheet.
  expect(lines[3]).toBe(
    'The first load of / has 63 bytes, 53 over its budget of 10: load later what is not wanted at once, with import() or next/dynamic, or give it "budget: 63" in tests/pages.ts.',
  );
});

test("where every page is over the budget, one sentence names _app and the number to raise", () => {
  const pages = { "/_app": ["app.js"], "/": ["home.js"], "/b": [] };
  const dist = temporaryFolder({
    "build-manifest.json": JSON.stringify({ pages, lowPriorityFiles: [] }),
    // Which no compression makes smaller.
    "app.js": randomBytes(120_000).toString("hex"),
    "home.js": "x",
  });
  const lines = firstLoadReport({}, dist);
  expect(lines).toHaveLength(4);
  const every = `The first load of every page is over its budget of ${firstLoadBudget} bytes`;
  expect(lines[3]?.startsWith(every)).toBe(true);
  expect(lines[3]).toMatch(/, the heaviest has (\d{6}): .* raise firstLoadBudget .* to \1\.$/);
});

test("a page that calls Sentry's functions may have as much more as they are", () => {
  const pages = { "/_app": ["app.js"], "/": [], "/orders": ["orders.js", "functions.js"] };
  const dist = temporaryFolder({
    "build-manifest.json": JSON.stringify({ pages, lowPriorityFiles: [] }),
    "orders.js": "Sentry.captureException",
    "functions.js": `"__SENTRY__";${randomBytes(2_000).toString("hex")}`,
  });
  writeFileSync(join(dist, "app.js"), randomBytes(firstLoadBudget - 1_000));
  expect(firstLoadReport({}, dist)).toHaveLength(3);
  writeFileSync(join(dist, "functions.js"), randomBytes(2_000).toString("hex"));
  expect(firstLoadReport({}, dist).at(-1)).toMatch(/^The first load of \/orders /);
});

test("rewrites have a price of their own, which no page is blamed for", () => {
  const dist = temporaryFolder({
    "build-manifest.json": '{ "pages": { "/_app": ["app.js"], "/": [] }, "lowPriorityFiles": [] }',
    "routes-manifest.json": '{ "rewrites": { "beforeFiles": [], "afterFiles": [{}] } }',
  });
  // No compression makes it smaller.
  writeFileSync(join(dist, "app.js"), randomBytes(firstLoadBudget + rewritesPrice / 2));
  const lines = firstLoadReport({}, dist);
  expect(lines.at(-1)).toMatch(/^With the rewrites .* each page may have 6\.4 kB more/);
});
