/*
 * Gives an app that keeps its own pages Signpost's reporting: docs/existing-app.md.
 *
 *   node scripts/adopt.ts FOLDER           says what it would write, and what is left to do
 *   node scripts/adopt.ts FOLDER --write   writes it
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { sentryFaults } from "../lib/build/sentry-imports.ts";

/** The texts of files by path in the app; null removes the file. */
type Files = Map<string, string | null>;

export interface Plan {
  /** What differs from the app as it is. */
  files: Files;
  /** Sentences on what must change before anything can be written. */
  obstacles: string[];
  /** Sentences on what is left to do by hand. */
  left: string[];
}

const signpost = join(import.meta.dirname, "..");
const ownPackage = JSON.parse(readFileSync(join(signpost, "package.json"), "utf8"));
const templates = join(import.meta.dirname, "adopt");

/** What the app gets, as it is here. */
const rooms = ["lib/base", "lib/relay", "lib/sentry"];
const buildFiles = [
  "kept-source-maps",
  "next-modules",
  "reporting-calls",
  "sentry-imports",
  "sentry-names",
  "source-maps",
  "with-reporting",
].map((name) => `lib/build/${name}.ts`);
const options = ["sentry.client.config.ts", "sentry.server.config.ts"];
const packages = [
  "@sentry/browser",
  "@sentry/browser-utils",
  "@sentry/core",
  "@sentry/nextjs",
  "pg",
  "proxy-addr",
  "rate-limiter-flexible",
  "sentry-scopes",
  "zod",
];

/** What the app's team goes on from. */
const teams = [...options, ...filesIn(templates)];

/** What Sentry's wizard has written, in the app's folder or in src. */
const wizards = /^(src\/)?(sentry\.(client|server|edge)\.config|instrumentation(-client)?)\.[jt]s$/;
const source = /\.[cm]?[jt]sx?$/;

/**
 * Looks at an app, and plans what makes it report as Signpost does.
 *
 * @param folder with the app's package.json
 */
export function planOf(folder: string): Plan {
  const read = (path: string) => textOf(join(folder, path));
  const src = existsSync(join(folder, "src/pages")) ? "src/" : "";
  const obstacles = obstaclesIn(folder, src);
  if (obstacles.length > 0) return { files: new Map(), obstacles, left: [] };
  const files: Files = new Map();
  const left: string[] = [];
  for (const [path, text] of ours(src)) files.set(path, text);
  const changed: Record<string, string> = {};
  for (const path of filesIn(folder).filter((name) => source.test(name))) {
    const text = read(path) ?? "";
    const replaced = files.get(path) ?? null;
    if (wizards.test(path) && /@sentry\//.test(text) && text !== replaced) {
      if (/\binit\(/.test(text)) left.push(optionsGo(path, src));
      if (replaced !== null)
        left.push(`${path} is written anew: add what it had besides Sentry's lines.`);
      files.set(path, replaced);
    } else if (replaced === null && path.startsWith(src) && /@sentry\/nextjs["']/.test(text)) {
      changed[path] = withoutWizard(text);
      files.set(path, changed[path]);
    }
  }
  // What the team has edited since it adopted the reporting stays.
  for (const path of read(`${src}reporting.config.ts`) === undefined ? [] : teams) {
    if (read(src + path) !== undefined) files.delete(src + path);
  }
  files.set("package.json", packageWith(read("package.json") ?? "{}", src));
  files.set("tsconfig.json", tsconfigWith(read("tsconfig.json") ?? "", src, left));
  planConfig(folder, src, files, left);
  left.push(...sentryFaults(changed));
  for (const [path, text] of files) if ((read(path) ?? null) === text) files.delete(path);
  return { files, obstacles, left };
}

function optionsGo(path: string, src: string): string {
  const file = /client/.test(path) ? "sentry.client.config.ts" : "sentry.server.config.ts";
  return `${path} had the options of Sentry.init: put those that you need into ${src}${file}.`;
}

function obstaclesIn(folder: string, src: string): string[] {
  const manifest = textOf(join(folder, "package.json"));
  if (manifest === undefined) return [`${folder} has no package.json: name the folder of the app.`];
  const { dependencies = {} } = JSON.parse(manifest);
  if (!dependencies.next) return ["package.json has no next among its dependencies."];
  const said: string[] = [];
  const major = (version: string) => /\d+/.exec(version)?.[0];
  if (major(dependencies.next) !== major(ownPackage.dependencies.next)) {
    said.push(
      `next is ${dependencies.next}: Signpost is tried with ${ownPackage.dependencies.next}. Bring it up to that first.`,
    );
  }
  if (!existsSync(join(folder, src, "pages"))) {
    said.push("There is neither pages/ nor src/pages/: the reporting is for the pages router.");
  }
  if (!existsSync(join(folder, "tsconfig.json"))) {
    said.push(
      "There is no tsconfig.json: run next dev once with a .ts file in pages/, and Next makes one.",
    );
  }
  const started = existsSync(join(folder, src, "reporting.config.ts"));
  for (const room of [...rooms, "lib/sentry.ts", "lib/build"]) {
    if (!started && existsSync(join(folder, src, room))) {
      said.push(`${src}${room} is the app's own: give it another name.`);
    }
  }
  for (const name of ["instrumentation.ts", "instrumentation-client.ts"]) {
    const own = textOf(join(folder, src, name));
    if (own !== undefined && !started && !/@sentry\//.test(own)) {
      said.push(
        `${src}${name} is the app's own: put its lines aside, and add them to the one that is written.`,
      );
    }
  }
  for (const path of ["pages/api/settings.ts", "pages/api/relay.ts"]) {
    if (!started && existsSync(join(folder, src, path))) {
      said.push(`${src}${path} is the app's own: the reporting needs its address.`);
    }
  }
  return said;
}

/** Signpost's own files, as the app gets them. */
function ours(src: string): Files {
  const files: Files = new Map();
  for (const room of rooms) {
    for (const path of filesIn(join(signpost, room))) {
      files.set(`${src}${room}/${path}`, readFileSync(join(signpost, room, path), "utf8"));
    }
  }
  for (const path of [...buildFiles, ...options]) {
    files.set(src + path, readFileSync(join(signpost, path), "utf8"));
  }
  for (const path of filesIn(templates)) {
    files.set(src + path, readFileSync(join(templates, path), "utf8"));
  }
  if (src) {
    const node = `${src}lib/base/config/node-version.cjs`;
    files.set(
      node,
      (files.get(node) ?? "").replace("../../../package.json", "../../../../package.json"),
    );
  }
  return files;
}

/** Sentry's functions from lib/sentry, and without what the reporting does itself. */
function withoutWizard(text: string): string {
  const changed = text
    .replace(/(["'])@sentry\/nextjs\1/g, "$1@/lib/sentry$1")
    .replace(/\bSentry\.wrapApiHandlerWithSentry\(\s*(\w+)\s*(?:,[^()]*)?\)/g, "$1")
    .replace(
      /^[ \t]*(?:await |return )?Sentry\.captureUnderscoreErrorException\([^()]*\);?\n/gm,
      "",
    );
  const isUsed = /\bSentry\.\w/.test(changed);
  return isUsed ? changed : changed.replace(/^import \* as Sentry from .*\n/m, "");
}

function packageWith(text: string, src: string): string {
  const manifest = JSON.parse(text);
  manifest.engines = { ...manifest.engines, node: ownPackage.engines.node };
  const [browser, server] = ["browser", "server"].map((half) => `./${src}lib/sentry/${half}.ts`);
  manifest.imports = { ...manifest.imports, "#sentry": { browser, default: server } };
  manifest.dependencies = {
    ...manifest.dependencies,
    ...Object.fromEntries(packages.map((name) => [name, ownPackage.dependencies[name]])),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** The text stays as it is otherwise: it may have comments. */
function tsconfigWith(text: string, src: string, left: string[]): string {
  const alias = `"@/*": ["./${src}*"]`;
  if (!text.replace(/\s/g, "").includes(alias.replace(/\s/g, ""))) {
    left.push(`tsconfig.json needs ${alias} among its paths.`);
  }
  if (text.includes("allowImportingTsExtensions")) return text;
  return text.replace(
    /("compilerOptions"\s*:\s*\{)/,
    '$1\n    "allowImportingTsExtensions": true,',
  );
}

/** Puts the app's configuration into `withReporting`, in the forms that Next and the wizard write. */
function planConfig(folder: string, src: string, files: Files, left: string[]): void {
  const name = ["next.config.ts", "next.config.mjs", "next.config.js"].find((file) =>
    existsSync(join(folder, file)),
  );
  const from = `./${src}lib/build/with-reporting.ts`;
  const text = name && textOf(join(folder, name));
  if (!name || text === undefined) {
    files.set(
      "next.config.ts",
      `import { withReporting } from "${from}";\n\nexport default withReporting({});\n`,
    );
    return;
  }
  const i18n = /^\s*i18n\s*[:,]/m.test(text) && files.has(`${src}reporting.config.ts`);
  if (i18n) left.push(`${src}reporting.config.ts needs the locales of i18n.`);
  if (text.includes("withReporting(")) return;
  const changed = text
    .replace(/^import \{ withSentryConfig \} from .*\n/m, "")
    .replace(
      /^export default withSentryConfig\(\s*(\w+)\s*,[\s\S]*?\}\s*\);?\s*$/m,
      "export default $1;\n",
    )
    .replace(/^export default (\w+);\s*$/m, "export default withReporting($1);\n");
  if (!changed.includes("withReporting(") || changed.includes("withSentryConfig")) {
    left.push(
      `${name}: write export default withReporting(yourConfig), imported from "${from}", in place of withSentryConfig.`,
    );
    return;
  }
  files.set(name, `import { withReporting } from "${from}";\n${changed}`);
}

/** Paths in a folder, with slashes, without packages, builds and what begins with a dot. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !/^(node_modules$|\.)/.test(name))
    .flatMap((entry) =>
      entry.isDirectory()
        ? filesIn(join(folder, entry.name)).map((path) => `${entry.name}/${path}`)
        : [entry.name],
    );
}

function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** @throws {Error} where git could not show the difference afterwards */
export function write(folder: string, files: Files): void {
  const git = (...args: string[]) => spawnSync("git", args, { cwd: folder, encoding: "utf8" });
  if (git("ls-files", "--error-unmatch", "package.json").status !== 0) {
    throw new Error(
      "The app is not under git: commit it first, so that git shows what is written.",
    );
  }
  if (git("status", "--porcelain", "--", ".").stdout !== "") {
    throw new Error(
      "The app has changes that are not committed: commit them first, so that git shows what is written.",
    );
  }
  for (const [path, text] of files) {
    const target = join(folder, path);
    if (text === null) rmSync(target);
    else {
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
    }
  }
}

function main(): number {
  const { values, positionals } = parseArgs({
    options: { write: { type: "boolean" } },
    allowPositionals: true,
  });
  const [folder] = positionals;
  if (!folder) {
    console.error("Name the app's folder: node scripts/adopt.ts ../shop");
    return 1;
  }
  const { files, obstacles, left } = planOf(folder);
  for (const sentence of obstacles) console.error(sentence);
  if (obstacles.length > 0) return 1;
  if (files.size === 0) console.log("There is nothing to write.");
  else if (values.write) write(folder, files);
  const done = values.write ? ["wrote", "removed"] : ["would write", "would remove"];
  const inRooms = (path: string) => /^(src\/)?lib\/(base|build|relay|sentry)\//.test(path);
  for (const [path, text] of files) {
    if (!inRooms(path)) console.log(`${text === null ? done[1] : done[0]} ${path}`);
  }
  const copied = [...files.keys()].filter(inRooms).length;
  if (copied > 0)
    console.log(`${done[0]} ${copied} files in lib/base, lib/build, lib/relay and lib/sentry`);
  if (left.length > 0) console.log(`\nLeft to do:\n${left.map((one) => `- ${one}`).join("\n")}`);
  if (values.write && files.size > 0)
    console.log("\nThen: npm install, npm run build. docs/existing-app.md says more.");
  return 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    process.exitCode = main();
  } catch (error) {
    console.error(String(error instanceof Error ? error.message : error));
    process.exitCode = 1;
  }
}
