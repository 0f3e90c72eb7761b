import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import packageJson from "@/package.json";
import { planOf, write } from "@/scripts/adopt";

const whole: Record<string, string> = {
  "package.json": JSON.stringify({ dependencies: { next: packageJson.dependencies.next } }),
  "tsconfig.json": '{ "compilerOptions": { "paths": { "@/*": ["./*"] } } } // as Next wrote it',
  "next.config.mjs": "const own = {};\n\nexport default own;\n",
  "pages/index.jsx": "export default () => null;\n",
};

/** An app under git, with nothing left to commit. */
function appWith(files: Record<string, string | undefined>): string {
  const folder = mkdtempSync(join(tmpdir(), "signpost-adopt-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries({ ...whole, ...files })) {
    if (text !== undefined) put(folder, path, text);
  }
  commit(folder);
  return folder;
}

function put(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function commit(folder: string): void {
  const name = ["-c", "user.name=test", "-c", "user.email=test@example.org"];
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    [...name, "commit", "-qm", "as it is"],
  ]) {
    execFileSync("git", args, { cwd: folder });
  }
}

const textIn = (folder: string, path: string) => readFileSync(join(folder, path), "utf8");

test("looking changes nothing, writing wraps the configuration, and a second run writes nothing", () => {
  const folder = appWith({});
  const { files, obstacles, left } = planOf(folder);
  expect({ obstacles, left }).toEqual({ obstacles: [], left: [] });
  expect(existsSync(join(folder, "lib"))).toBe(false);
  write(folder, files);
  expect(textIn(folder, "next.config.mjs")).toBe(
    'import { withReporting } from "./lib/build/with-reporting.ts";\nconst own = {};\n\nexport default withReporting(own);\n',
  );
  expect(textIn(folder, "tsconfig.json")).toContain("// as Next wrote it");
  expect(JSON.parse(textIn(folder, "package.json"))).toMatchObject({
    engines: packageJson.engines,
    imports: packageJson.imports,
    dependencies: { "@sentry/nextjs": packageJson.dependencies["@sentry/nextjs"] },
  });
  expect([...planOf(folder).files.keys()]).toEqual([]);
});

test("what the team has edited since stays, and the rooms are brought up to date", () => {
  const folder = appWith({});
  write(folder, planOf(folder).files);
  put(folder, "instrumentation.ts", "// with lines of our own\n");
  put(folder, "lib/base/log.ts", "// of an earlier version\n");
  commit(folder);
  expect([...planOf(folder).files.keys()]).toEqual(["lib/base/log.ts"]);
});

test("changes that are not committed are not mixed with what is written", () => {
  const folder = appWith({});
  put(folder, "pages/new.tsx", "");
  expect(() => write(folder, planOf(folder).files)).toThrow("commit them first");
  rmSync(join(folder, ".git"), { recursive: true });
  expect(() => write(folder, planOf(folder).files)).toThrow("not under git");
  expect(existsSync(join(folder, "lib"))).toBe(false);
});

test("the command says what it would write, and what it has written", () => {
  const folder = appWith({});
  const run = (...args: string[]) => {
    const command = ["scripts/run.cjs", "adopt", folder, ...args];
    return execFileSync(process.execPath, command, { encoding: "utf8" });
  };
  expect(run()).toContain("would write instrumentation.ts");
  expect(run("--write")).toContain("wrote instrumentation.ts");
  expect(run()).toContain("nothing to write");
});

test.each([
  ["no package.json", { "package.json": undefined }, "has no package.json"],
  ["another Next", { "package.json": '{"dependencies":{"next":"^14.2.0"}}' }, "next is ^14.2.0"],
  ["no pages", { "pages/index.jsx": undefined }, "neither pages/ nor src/pages/"],
  ["no TypeScript", { "tsconfig.json": undefined }, "no tsconfig.json"],
  ["a lib/sentry", { "lib/sentry/index.ts": "" }, "lib/sentry is the app's own"],
  ["an own start", { "instrumentation.ts": "start();" }, "instrumentation.ts is the app's own"],
  ["an own route", { "pages/api/settings.ts": "" }, "pages/api/settings.ts is the app's own"],
])("an app with %s is left as it is, with a sentence", (_what, files, sentence) => {
  const { files: written, obstacles } = planOf(appWith(files));
  expect(obstacles).toEqual([expect.stringContaining(sentence)]);
  expect(written.size).toBe(0);
});

test("what is left to do by hand is named", () => {
  const folder = appWith({
    "next.config.mjs": undefined,
    "next.config.js":
      "const own = {\n  i18n,\n};\nmodule.exports = withSentryConfig(own, { silent: true });\n",
    "tsconfig.json": '{ "compilerOptions": {} }',
    "sentry.client.config.ts": 'import { init } from "@sentry/nextjs";\ninit({ beforeSend });\n',
    "components/traced.tsx": 'import { withSentryConfig } from "@sentry/nextjs";\n',
  });
  expect(planOf(folder).left).toEqual([
    expect.stringContaining("sentry.client.config.ts had the options of Sentry.init"),
    expect.stringContaining("sentry.client.config.ts is written anew"),
    expect.stringContaining('tsconfig.json needs "@/*": ["./*"]'),
    expect.stringContaining("reporting.config.ts needs the locales of i18n"),
    expect.stringContaining("next.config.js: write export default withReporting"),
    expect.stringContaining("components/traced.tsx uses withSentryConfig"),
  ]);
});
