import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
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
  put(folder, "lib/base/config/own.ts", "// with a variable of our own\n");
  put(folder, "lib/base/config/reported-names.ts", 'export const allowedNames = ["email"];\n');
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
    const command = ["scripts/adopt.ts", folder, ...args];
    return execFileSync(process.execPath, command, { encoding: "utf8" });
  };
  expect(run()).toContain("would write instrumentation.ts");
  expect(run("--write")).toContain("wrote instrumentation.ts");
  expect(run()).toContain("nothing to write");
});

const byWebpack = JSON.stringify({
  ...JSON.parse(whole["package.json"] ?? ""),
  scripts: { build: "next build --webpack" },
});

test.each([
  ["no package.json", { "package.json": undefined }, "has no package.json"],
  ["another Next", { "package.json": '{"dependencies":{"next":"^14.2.0"}}' }, "next is ^14.2.0"],
  ["webpack", { "package.json": byWebpack }, "builds with --webpack"],
  ["no pages", { "pages/index.jsx": undefined }, "neither pages/ nor src/pages/"],
  ["a lib/sentry", { "lib/sentry/index.ts": "" }, "lib/sentry is the app's own"],
  ["an own start", { "instrumentation.ts": "start();" }, "instrumentation.ts is the app's own"],
  ["an own start", { "instrumentation.js": "start();" }, "instrumentation.js is the app's own"],
  ["an own route", { "pages/api/settings.ts": "" }, "pages/api/settings.ts is the app's own"],
  ["an own route", { "pages/api/relay/index.js": "" }, "pages/api/relay is the app's own"],
])("an app with %s is left as it is, with a sentence", (_what, files, sentence) => {
  const { files: written, obstacles } = planOf(appWith(files));
  expect(obstacles).toEqual([expect.stringContaining(sentence)]);
  expect(written.size).toBe(0);
});

test("an app in JavaScript gets what Next asks of TypeScript, with the paths that it had", () => {
  const folder = appWith({
    "tsconfig.json": undefined,
    "jsconfig.json": '{ "compilerOptions": { "paths": { "~/*": ["./*"] } } }',
    "instrumentation.js": 'import * as Sentry from "@sentry/nextjs";\n',
  });
  const { files, obstacles } = planOf(folder);
  expect(obstacles).toEqual([]);
  expect(JSON.parse(files.get("tsconfig.json") ?? "")).toEqual({
    compilerOptions: {
      allowImportingTsExtensions: true,
      paths: { "@/*": ["./*"], "~/*": ["./*"] },
    },
  });
  expect(files.get("jsconfig.json")).toBeNull();
  expect(files.get("instrumentation.js")).toBeNull();
  expect(JSON.parse(files.get("package.json") ?? "").devDependencies).toEqual({
    typescript: "5.9.3",
    "@types/node": packageJson.devDependencies["@types/node"],
    "@types/react": packageJson.devDependencies["@types/react"],
  });
});

test("Node takes what next.config imports for modules, whatever the app's files are", () => {
  const modules = ["lib/base/package.json", "lib/build/package.json"];
  const { files } = planOf(appWith({}));
  expect(modules.map((path) => files.get(path))).toEqual(
    modules.map(() => '{ "type": "module" }\n'),
  );
  const manifest = { ...JSON.parse(whole["package.json"] ?? ""), type: "module" };
  const own = planOf(appWith({ "package.json": JSON.stringify(manifest) }));
  expect(modules.map((path) => own.files.has(path))).toEqual([false, false]);
});

test("the app gets each package that the copied files import", () => {
  const { files } = planOf(appWith({}));
  const { dependencies } = JSON.parse(files.get("package.json") ?? "");
  const imports = /(?:\bfrom|\bimport|\b(?:import|require)\()\s*["']((?:@[\w-]+\/)?[\w-]+)/g;
  const names = [...files]
    .filter(([path]) => /^(lib\/|[\w.-]+\.ts$).*/.test(path))
    .flatMap(([, text]) => [...(text ?? "").matchAll(imports)].map(([, name = ""]) => name));
  const modules = [...builtinModules, "node", "react", "react-dom"];
  expect(names).toContain("sentry-scopes");
  expect(names.filter((name) => !modules.includes(name) && !dependencies[name])).toEqual([]);
});

test("the app's rules of TypeScript and of lint are for its own files", () => {
  const { files } = planOf(appWith({}));
  const copied = [...files].filter(([path]) => /^lib\/.*\.[jt]sx?$/.test(path));
  const unmarked = copied.filter(
    ([, text]) => !text?.startsWith("/* eslint-disable */\n// @ts-nocheck"),
  );
  expect(unmarked.map(([path]) => path)).toEqual([
    "lib/base/config/own.ts",
    "lib/base/config/reported-names.ts",
  ]);
});

test("what the wizard has shown is gone, and so are its words about its own lines", () => {
  const folder = appWith({
    "pages/sentry-example-page.jsx": 'import * as Sentry from "@sentry/nextjs";\n',
    "pages/api/sentry-example-api.js": 'import * as Sentry from "@sentry/nextjs";\n',
    "pages/_error.jsx":
      'import * as Sentry from "@sentry/nextjs";\nasync function props(data) {\n  // In case this is running in a serverless function, await this\n  await Sentry.captureUnderscoreErrorException(data);\n\n  return {};\n}\n',
  });
  const { files } = planOf(folder);
  expect(files.get("pages/sentry-example-page.jsx")).toBeNull();
  expect(files.get("pages/api/sentry-example-api.js")).toBeNull();
  expect(files.get("pages/_error.jsx")).toBe("async function props(data) {\n\n  return {};\n}\n");
});

test("what the server stores beside the app is not committed", () => {
  expect(planOf(appWith({ ".gitignore": ".next" })).files.get(".gitignore")).toBe(
    ".next\n/data/\n",
  );
  expect(planOf(appWith({ ".gitignore": "data/\n" })).files.has(".gitignore")).toBe(false);
});

test("the app keeps its versions where the reporting can use them, and is told of the others", () => {
  const own = {
    next: packageJson.dependencies.next,
    zod: "^3.24.2",
    pg: "^8.0.0",
    "@sentry/nextjs": "^11.99.0",
    "@sentry/core": `^${packageJson.dependencies["@sentry/core"]}`,
  };
  const folder = appWith({ "package.json": `${JSON.stringify({ dependencies: own }, null, 4)}` });
  const { files, left } = planOf(folder);
  const text = files.get("package.json") ?? "";
  expect(JSON.parse(text).dependencies).toMatchObject({
    zod: packageJson.dependencies.zod,
    pg: "^8.0.0",
    "@sentry/nextjs": packageJson.dependencies["@sentry/nextjs"],
    "@sentry/core": packageJson.dependencies["@sentry/core"],
  });
  expect(text).toContain('\n    "dependencies"');
  expect(left).toEqual([
    expect.stringContaining("and was ^11.99.0"),
    expect.stringContaining("and was ^3.24.2"),
  ]);
});

test("what is left to do by hand is named", () => {
  const folder = appWith({
    "next.config.mjs": "export default withSentryConfig({}, { tunnelRoute: '/monitoring' });\n",
    "sentry.client.config.ts": 'import { init } from "@sentry/nextjs";\ninit({ beforeSend });\n',
    "sentry.edge.config.ts": 'import { init } from "@sentry/nextjs";\ninit({ beforeSend });\n',
    "components/dialog.jsx":
      'import * as Sentry from "@sentry/nextjs";\nSentry.setTag("a", 1);\nSentry.showReportDialog();\n',
    "components/traced.tsx": 'import { withSentryConfig } from "@sentry/nextjs";\n',
  });
  expect(planOf(folder).left).toEqual([
    expect.stringContaining("sentry.client.config.ts had the options of Sentry.init"),
    expect.stringContaining("sentry.client.config.ts is written anew"),
    expect.stringMatching(/^next\.config\.mjs: .*withReporting.* in place of tunnelRoute/),
    "components/dialog.jsx uses showReportDialog, which @/lib/sentry does not have. See docs/sentry.md.",
    expect.stringContaining("components/traced.tsx uses withSentryConfig"),
  ]);
});
