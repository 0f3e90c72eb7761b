import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { lostCalls } from "./reporting-calls.ts";
import { misplacedNames } from "./sentry-names.ts";

/** Folders at the root whose code is no part of the app. Those that begin with a dot are none either. */
const otherFolders = ["node_modules", "data", "docs", "public", "scripts", "tests"];

/** Files that start the SDK or configure it. */
const machinery = /^(lib\/(build|sentry)\/|sentry\.)/;

const serversOrOurs = /^(lib\/(build|sentry)\/|sentry\.server\.)/;

const comment = /\/\*[\s\S]*?\*\/|(?<![:"'])\/\/[^\n]*/g;
/** Imports of types don't count: they are gone from the code that runs. */
const imported =
  /(?:\b(?:import|export)\s+(?!type\b)(?:[^"';]*?\bfrom\s*)?|\b(?:import|require)\s*\(\s*)["'](@sentry\/[\w./-]+)["']/g;
/** Imports by name, where `init` may be among the names, and of all, where it is a property. */
const named = /\{([^{}]*)\} from ["']@sentry\//g;
const namespace = /\* as (\w+) from ["']@sentry\//g;
/** In the browser these stand for lib/sentry, which has no integrations. */
const withoutIntegrations = ["@sentry/nextjs", "@sentry/react"];

/**
 * In the browser the SDK comes late, so its own functions do nothing until then: lib/sentry has the
 * same ones, which wait. And a second `init` replaces the client that Signpost has started.
 *
 * @param sources texts by path
 * @returns a sentence for each file that must take Sentry's functions from lib/sentry, and for each
 *   part of Sentry's set-up for Next that Signpost does itself
 */
export function sentryFaults(sources: Record<string, string>): string[] {
  return Object.entries(sources).flatMap(([file, source]) => {
    const text = source.replace(comment, "");
    const names = file.startsWith("lib/") ? [] : misplacedNames(file, text);
    const packages = [...text.matchAll(imported)]
      .map(([, name = ""]) => name)
      .filter((name) => isRefused(file, name));
    const init = callsInit(file, text);
    return [
      ...names.map(([name, instead]) => `${file} uses ${name}: ${instead} See docs/sentry.md.`),
      // Where a name is wrong, so is another place to import it from.
      ...(names.length > 0 || init ? [] : [...new Set(packages)]).map(
        (name) => `${file} imports ${name}: write ${instead(file)}. See docs/sentry.md.`,
      ),
      ...(init
        ? [
            `${file} calls Sentry.init, which would replace the client that Signpost starts: put the options into sentry.client.config.ts or sentry.server.config.ts. See docs/sentry.md.`,
          ]
        : []),
    ];
  });
}

function isRefused(file: string, name: string): boolean {
  if (!machinery.test(file)) return true;
  return file.startsWith("sentry.client.") && withoutIntegrations.includes(name);
}

function instead(file: string): string {
  return file.startsWith("sentry.client.")
    ? 'import * as Sentry from "@sentry/browser", which has the same integrations'
    : 'import * as Sentry from "@/lib/sentry", which has the same functions and also works before the SDK is loaded';
}

function callsInit(file: string, text: string): boolean {
  if (/\bSentry\.init\s*\(/.test(text)) return true;
  if (file.startsWith("lib/sentry/")) return false;
  const spaces = [...text.matchAll(namespace)].map(([, name]) => name);
  const init = spaces.some((name) => new RegExp(`\\b${name}\\.init\\s*\\(`).test(text));
  return init || [...text.matchAll(named)].some(([, names = ""]) => /\binit\b/.test(names));
}

/**
 * All code of the app below a folder, by path, without comments. In an app with its pages in src/, by
 * the path there.
 */
function sourcesIn(root: string): Record<string, string> {
  const hasSrc = existsSync(join(root, "src/pages"));
  const code = readdirSync(root, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith(".") && !otherFolders.includes(name))
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(root, entry.name) : [entry.name]))
    .filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !file.includes("/node_modules/"))
    .filter((file) => existsSync(join(root, file)));
  return Object.fromEntries(
    code.map((file) => [
      hasSrc ? file.replace(/^src\//, "") : file,
      readFileSync(join(root, file), "utf8").replace(comment, ""),
    ]),
  );
}

/** @returns as `sentryFaults` and `lostCalls`, of all code of the app below this folder */
export function sentryFaultsIn(root: string): string[] {
  const sources = sourcesIn(root);
  return [...sentryFaults(sources), ...lostCalls(sources)];
}

/**
 * Whether the browser's options may hold a `tracesSampler`: any code of the app speaks of one, but for
 * the server's own options. Options may come from anywhere.
 */
export function hasTracesSampler(root: string): boolean {
  return Object.entries(sourcesIn(root)).some(
    ([file, text]) => !serversOrOurs.test(file) && /\btracesSampler\b/.test(text),
  );
}

function filesBelow(root: string, folder: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return files.map((file) => `${folder}/${file.split(sep).join("/")}`);
}

/**
 * For the build, which must not make an app whose reports are lost.
 *
 * @throws {Error} with the sentences of `sentryFaultsIn`
 */
export function checkSentryImports(root: string): void {
  const faults = sentryFaultsIn(root);
  if (faults.length > 0) throw new Error(faults.join("\n"));
}
