import { existsSync, readdirSync, readFileSync } from "node:fs";
import { sep } from "node:path";
import { pathToFileURL } from "node:url";
import { appVariables } from "../lib/config.ts";
import { defaultLocale, locales, textsOf } from "../lib/messages/locales.ts";
import { uploadVariables } from "../packages/sentry/src/shared/environment/build.ts";
import { runtimeVariables } from "../packages/sentry/src/shared/environment/runtime.ts";

/** Read by Next itself. */
const nextVariables = ["PORT"];

const unknownApi = "pages/api/[[...unknown]].ts";

/**
 * Finds what Next refuses beside the file that answers for all that is no API route. Next says which patterns
 * are alike, and not what to do.
 *
 * @param files paths, those of `pages/` among them
 * @returns a sentence for each such file
 */
export function apiFaults(files: string[]): string[] {
  if (!files.includes(unknownApi)) return [];
  const refused = `as ${unknownApi} does, and Next refuses both`;
  return files.flatMap((file) => {
    if (/^pages\/api(\/index)?\.[jt]sx?$/.test(file)) {
      return `${file} answers /api, ${refused}: rename the second to pages/api/[...unknown].ts.`;
    }
    if (file !== unknownApi && /^pages\/api\/\[\[?\.{3}[^/]+\.[jt]sx?$/.test(file)) {
      return `${file} answers what is no other API route, ${refused}: remove the second.`;
    }
    return [];
  });
}

/**
 * Compares the languages with the files that hold their texts. Types hold the rest.
 *
 * @param files names in lib/messages
 * @returns a sentence for each file that is no language of the app
 */
export function languageFaults(locales: readonly string[], files: string[]): string[] {
  const wanted = locales.map((locale) => `${locale.toLowerCase()}.ts`);
  return files
    .filter((file) => /^[a-z]{2,3}(-[a-z\d]{2,8})*\.ts$/.test(file) && !wanted.includes(file))
    .map(
      (file) =>
        `lib/messages/${file} is no language of the app: add it to lib/messages/locales.ts, or remove the file.`,
    );
}

/**
 * Compares the pages that have texts with the files of `pages/`.
 *
 * @param patterns of the pages with texts
 * @param files paths, those of `pages/` among them
 * @returns a sentence for each page that no file has
 */
export function textFaults(patterns: string[], files: string[]): string[] {
  const pages = files.map((file) => `/${file.replace(/^pages\/|\.[jt]sx?$/g, "")}`);
  return patterns
    .filter((pattern) => !pages.includes(pattern.replace(/\/$/, "/index")))
    .filter((pattern) => !pages.includes(`${pattern}/index`))
    .map(
      (pattern) =>
        `lib/messages/en.ts has texts of ${pattern}, which no file has: write pages${pattern}.tsx, or remove them in each language.`,
    );
}

/**
 * Compares the variables with `.env.example`.
 *
 * @param variables that the app reads
 * @param example the text of `.env.example`
 * @returns a sentence for each difference
 */
export function variableFaults(variables: string[], example: string): string[] {
  const lines = [...example.matchAll(/^# ([A-Z][A-Z\d_]*)=/gm)].map(([, name = ""]) => name);
  return [
    ...variables
      .filter((name) => !lines.includes(name))
      .map((name) => `.env.example does not explain ${name}: add a line "# ${name}=" there.`),
    ...lines
      .filter((name) => !variables.includes(name))
      .map(
        (name) =>
          `.env.example explains ${name}, which nothing reads: add it to lib/config.ts, or remove the line.`,
      ),
  ];
}

/**
 * @param tested versions that the contract tests were written for, by package
 * @returns a sentence for each package of another version
 */
export function versionWarnings(
  tested: Record<string, string>,
  installed: (name: string) => string | undefined,
): string[] {
  return Object.entries(tested).flatMap(([name, version]) => {
    const found = installed(name);
    if (!found || found === version) return [];
    return `${name} ${found} is installed, and the contract tests were written for ${version}: follow docs/upgrading.md.`;
  });
}

/** @returns paths below it, with slashes */
function filesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.map((file) => file.split(sep).join("/")).sort();
}

function read(file: string) {
  return readFileSync(file, "utf8");
}

/** @param name of a package */
function installedVersion(name: string) {
  const file = `node_modules/${name}/package.json`;
  return existsSync(file) ? JSON.parse(read(file)).version : undefined;
}

/** Prints what lint and types can't see in the project in the current folder. */
async function check() {
  const below = (folder: string) => filesIn(folder).map((file) => `${folder}/${file}`);
  const variables = [...nextVariables, ...uploadVariables, ...runtimeVariables, ...appVariables];
  const faults = [
    ...apiFaults(below("pages")),
    ...languageFaults(locales, readdirSync("lib/messages")),
    ...textFaults(Object.keys((await textsOf(defaultLocale)).pages), below("pages")),
    ...variableFaults(variables, read(".env.example")),
  ];
  const versions = "tests/contracts/versions.json";
  const tested = existsSync(versions) ? JSON.parse(read(versions)) : {};
  for (const warning of versionWarnings(tested, installedVersion)) {
    console.warn(`Warning: ${warning}`);
  }
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) {
    console.error("docs/make-it-yours.md shows each step.");
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await check();
