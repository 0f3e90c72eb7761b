import { readdirSync, readFileSync } from "node:fs";
import { isSafe } from "redos-detector";
import { expect, test } from "vitest";
import { parseAst } from "vitest/node";

/** Expressions that may go back and forth, by file: how many, and why that costs little. */
const allowed: Record<string, { count: number; why: string }> = {
  "packages/relay/src/dsn.ts": { count: 1, why: "an environment variable" },
  "packages/sentry/src/config/kept-source-maps.ts": {
    count: 2,
    why: "files of the build, while it is made",
  },
  "packages/sentry/src/shared/environment/runtime.ts": { count: 1, why: "an environment variable" },
  "packages/relay/src/delivery/service-answer.ts": {
    count: 2,
    why: "an answer's headers and first 2 kB",
  },
  "packages/sentry/src/shared/privacy/scrub.ts": {
    count: 3,
    why: "linear, as packages/sentry/tests/unit/privacy/scrub.test.ts shows: no part of a text is searched from two places",
  },
  "packages/sentry/src/shared/privacy/private-names.ts": {
    count: 2,
    why: "words without a repetition in them; at most 400 characters of a name",
  },
  "packages/sentry/src/shared/user-agent.ts": {
    count: 1,
    why: "at most 500 characters of a header",
  },
  "packages/inbox/src/model/group-id.ts": { count: 3, why: "at most 500 characters of a message" },
  "packages/sentry/src/server/complete-envelope.ts": {
    count: 2,
    why: "a fixed number of digits; at most 500 characters of a line of a stack",
  },
  "packages/sentry/src/browser/first-load/thrown.ts": {
    count: 1,
    why: "at most 16,384 characters of a stack, in the browser that made it",
  },
  "packages/sentry/src/browser/sdk/report-capacity.ts": {
    count: 1,
    why: "linear: what is repeated holds no quotation mark, and the beginning does",
  },
  "lib/navigation/pattern.ts": { count: 2, why: "names of the project's own pages" },
  "packages/sentry/src/shared/routes/pattern.ts": { count: 2, why: "names of the app's own pages" },
  "packages/relay/src/source-maps/source-map.ts": {
    count: 2,
    why: "at most 500 characters of a line of the build's own source",
  },
};

interface Expression {
  place: string;
  file: string;
  /** Missing where the pattern is put together at run time. */
  expression?: RegExp;
}

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

function expressionsOf(file: string): Expression[] {
  const text = readFileSync(file, "utf8");
  const lang = file.endsWith(".tsx") ? "tsx" : file.endsWith(".ts") ? "ts" : "jsx";
  return nodesOf(parseAst(text, { lang })).flatMap((node) => {
    const place = `${file}:${text.slice(0, node.start).split("\n").length}`;
    if (isConstructed(node)) return [{ place, file }];
    const { pattern, flags } = (node.regex ?? {}) as { pattern?: string; flags?: string };
    return pattern === undefined ? [] : [{ place, file, expression: new RegExp(pattern, flags) }];
  });
}

function isConstructed({ type, callee }: Node): boolean {
  const isCall = type === "NewExpression" || type === "CallExpression";
  return isCall && (callee as { name?: string }).name === "RegExp";
}

function nodesOf(value: unknown): Node[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(nodesOf);
  return "type" in value ? [value as Node, ...inside] : inside;
}

/** Whether the time it takes may grow faster than the text. Some that are linear count as well. */
function mayBacktrack({ expression }: Expression): boolean {
  if (!expression) return true;
  return !isSafe(expression, { maxScore: 200, maxSteps: 5_000, timeout: Infinity }).safe;
}

test("no regular expression takes longer for a text than its length asks for", {
  timeout: 180_000,
}, () => {
  const files = ["packages", "lib", "components", "pages"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(tsx?|js)$/.test(name) && !/^\w+.(dist|node_modules|tests)/.test(name))
      // What writes an app reads the files that it has brought.
      .filter((name) => !name.startsWith("create"))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`),
  );
  const expressions = files.flatMap(expressionsOf);
  expect(expressions.length).toBeGreaterThan(50);
  const found = new Map<string, string[]>();
  for (const one of expressions.filter(mayBacktrack)) {
    found.set(one.file, [
      ...(found.get(one.file) ?? []),
      `${one.place} ${one.expression ?? "new RegExp"}`,
    ]);
  }
  const faults = [...found].filter(([file, places]) => places.length !== allowed[file]?.count);
  expect(
    faults,
    "Write these without two repetitions that may match the same text, or name the bound of what they see under `allowed` in tests/unit/lint/regular-expressions.test.ts.",
  ).toEqual([]);
  const mended = Object.keys(allowed).filter((file) => files.includes(file) && !found.has(file));
  expect(mended, "These need no entry any more.").toEqual([]);
});

test.each([
  [/([^?&#=]*=)[^&]*/g, true],
  [/^[^?]*\/_next\/data\/[^?]*\/\.json$/, true],
  [/^(?:ab)*(?:ab)*$/, true],
  [/^(a+)+$/, true],
  [/\bfunction\b\s*\*?\s*(\w+)/g, true],
  [/=[^&]*/g, false],
  [/^(?:\.|%2e){1,2}\.json$/i, false],
])("%s may go back and forth: %s", (expression, expected) => {
  expect(mayBacktrack({ place: "", file: "", expression })).toBe(expected);
});
