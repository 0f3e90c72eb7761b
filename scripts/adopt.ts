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
import {
  configWith,
  gitignoreWith,
  majorOf,
  missingFunctions,
  packageWith,
  tsconfigWith,
  withoutWizard,
} from "./adopt-texts.ts";

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

/** What the app's team goes on from. */
const teams = [
  ...options,
  ...filesIn(templates),
  "lib/base/config/own.ts",
  "lib/base/config/reported-names.ts",
];

/** What Sentry's wizard has written, in the app's folder or in src. */
const wizards =
  /^(src\/)?(sentry\.(client|server|edge)\.config|instrumentation(-client)?|pages\/sentry-example-page|pages\/api\/sentry-example-api)\.[jt]sx?$/;
/** Signpost's rules of TypeScript and of lint are stricter than some, and laxer than others. */
const header = "/* eslint-disable */\n// @ts-nocheck: from Signpost, which checks it.\n";
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
      // What ran in the edge runtime is not reported, so its options go.
      if (/\binit\(/.test(text) && !/edge/.test(path)) left.push(optionsGo(path, src));
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
  files.set("package.json", packageWith(read("package.json") ?? "{}", src, left));
  // Node itself reads these two rooms, for next.config.
  if (JSON.parse(read("package.json") ?? "{}").type !== "module") {
    for (const room of ["base", "build"]) {
      files.set(`${src}lib/${room}/package.json`, '{ "type": "module" }\n');
    }
  }
  files.set(".gitignore", gitignoreWith(read(".gitignore") ?? ""));
  const jsconfig = read("jsconfig.json") ?? '{\n  "compilerOptions": {}\n}\n';
  files.set("tsconfig.json", tsconfigWith(read("tsconfig.json") ?? jsconfig, src, left));
  if (read("tsconfig.json") === undefined && existsSync(join(folder, "jsconfig.json"))) {
    files.set("jsconfig.json", null);
  }
  planConfig(folder, src, files, left);
  const faults = sentryFaults(changed);
  for (const [path, text] of Object.entries(changed)) {
    const isTold = (name: string) =>
      faults.some((fault) => fault.startsWith(`${path} uses ${name}:`));
    for (const name of missingFunctions(text).filter((one) => !isTold(one))) {
      left.push(`${path} uses ${name}, which @/lib/sentry does not have. See docs/sentry.md.`);
    }
  }
  left.push(...faults);
  for (const [path, text] of files) if ((read(path) ?? null) === text) files.delete(path);
  return { files, obstacles, left };
}

function optionsGo(path: string, src: string): string {
  const file = /client/.test(path) ? "sentry.client.config.ts" : "sentry.server.config.ts";
  return `${path} had the options of Sentry.init: put those that you need into ${src}${file}. The DSN and sample rates are variables now: SENTRY_DSN, SENTRY_TRACES_SAMPLE_RATE, BROWSER_TRACES_SAMPLE_RATE.`;
}

function obstaclesIn(folder: string, src: string): string[] {
  const manifest = textOf(join(folder, "package.json"));
  if (manifest === undefined) return [`${folder} has no package.json: name the folder of the app.`];
  const { dependencies = {}, scripts = {} } = JSON.parse(manifest);
  if (!dependencies.next) return ["package.json has no next among its dependencies."];
  const said: string[] = [];
  if (majorOf(dependencies.next) !== majorOf(ownPackage.dependencies.next)) {
    said.push(
      `next is ${dependencies.next}: Signpost is tried with ${ownPackage.dependencies.next}. Bring it up to that first.`,
    );
  }
  if (String(scripts.build).includes("--webpack")) {
    said.push(
      "package.json builds with --webpack: the reporting is for builds by Turbopack, Next's default.",
    );
  }
  if (!existsSync(join(folder, src, "pages"))) {
    said.push("There is neither pages/ nor src/pages/: the reporting is for the pages router.");
  }
  const started = existsSync(join(folder, src, "reporting.config.ts"));
  for (const room of [...rooms, "lib/sentry.ts", "lib/build"]) {
    if (!started && existsSync(join(folder, src, room))) {
      said.push(`${src}${room} is the app's own: give it another name.`);
    }
  }
  const isOwn = (path: string) =>
    !started && !/@sentry\//.test(textOf(join(folder, path)) ?? "@sentry/");
  for (const name of ["instrumentation", "instrumentation-client"]) {
    for (const path of ["ts", "js"].map((extension) => `${src}${name}.${extension}`)) {
      if (isOwn(path)) {
        said.push(
          `${path} is the app's own: put its lines aside, and add them to the one that is written.`,
        );
      }
    }
  }
  for (const name of ["settings", "relay"]) {
    const paths = [".ts", ".js", ""].map((end) => `${src}pages/api/${name}${end}`);
    const own = paths.find((path) => existsSync(join(folder, path)));
    if (own && !started) said.push(`${own} is the app's own: the reporting needs its address.`);
  }
  return said;
}

/** Signpost's own files, as the app gets them. */
function ours(src: string): Files {
  const copied = rooms.flatMap((room) =>
    filesIn(join(signpost, room)).map((path) => `${room}/${path}`),
  );
  const files: Files = new Map();
  for (const path of [...copied, ...buildFiles, ...options]) {
    const text = readFileSync(join(signpost, path), "utf8");
    files.set(src + path, source.test(path) && !teams.includes(path) ? header + text : text);
  }
  for (const path of filesIn(templates)) {
    files.set(src + path, readFileSync(join(templates, path), "utf8"));
  }
  if (src) {
    const node = `${src}lib/base/config/node-version.cjs`;
    const text = files.get(node) ?? "";
    files.set(node, text.replace("../../../package.json", "../../../../package.json"));
  }
  return files;
}

/** Puts the app's configuration into `withReporting`. */
function planConfig(folder: string, src: string, files: Files, left: string[]): void {
  const names = ["next.config.ts", "next.config.mjs", "next.config.js"];
  const name = names.find((file) => existsSync(join(folder, file))) ?? "next.config.ts";
  const text = textOf(join(folder, name)) ?? "export default {};\n";
  if (text.includes("withReporting(")) return;
  const from = `./${src}lib/build/with-reporting.ts`;
  const changed = configWith(text, from);
  if (changed) files.set(name, changed);
  else {
    left.push(
      `${name}: put your configuration into withReporting of "${from}", in place of withSentryConfig. Its options go: reports take /api/relay in place of tunnelRoute, and NEXT_PUBLIC_TUNNEL gives that another name.`,
    );
  }
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
    console.log(
      `\nThen, under Node ${ownPackage.engines.node}: install the packages, and build. docs/existing-app.md says more.`,
    );
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
