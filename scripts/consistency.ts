import { existsSync, readdirSync, readFileSync } from "node:fs";
import { sep } from "node:path";
import { pathToFileURL } from "node:url";
import { appVariables } from "../lib/config.ts";
import { locales } from "../lib/messages/locales.ts";
import type { PageEntry } from "../lib/navigation/page-entry.ts";
import { pages } from "../lib/navigation/table.ts";
import { uploadVariables } from "../packages/sentry/src/shared/environment/build.ts";
import { runtimeVariables } from "../packages/sentry/src/shared/environment/runtime.ts";

/** Read by Next itself. */
const nextVariables = ["PORT"];

/**
 * Compares the table of pages with the files under `pages/`.
 *
 * @param pages entries by pattern
 * @param sources texts by path, those of `pages/` among them
 * @returns a sentence for each difference, which says the line to add
 */
export function routeFaults(
  pages: Record<string, PageEntry>,
  sources: Record<string, string>,
): string[] {
  const routes = Object.keys(sources)
    .filter((file) => /^pages\/(?!api[/.]).*\.[jt]sx?$/.test(file))
    .filter((file) => !/^pages\/(_\w+|404|500)\./.test(file))
    .map((file) => ({
      file,
      pattern: `/${file.replace(/^pages\/|\.[jt]sx?$/g, "").replace(/(^|\/)index$/, "")}`,
    }));
  const listed = Object.keys(pages);
  const forgotten = routes.filter(({ pattern }) => !listed.includes(pattern));
  const gone = listed.filter((pattern) => !routes.some((route) => route.pattern === pattern));
  return [
    ...routes.flatMap(({ file, pattern }) => {
      const said = pages[pattern]?.rendering;
      const found = renderingOf(sources[file] ?? "");
      if (!said || (said === "server") === (found === "server")) return [];
      return `lib/navigation/table.ts says that ${pattern} is rendered "${said}", but ${file} is "${found}": change the line, or the page's data function.`;
    }),
    ...forgotten.map(({ file, pattern }) => {
      const rendering = renderingOf(sources[file] ?? "");
      return `${file} is not in lib/navigation/table.ts: add "${pattern}": { rendering: "${rendering}" }.`;
    }),
    ...gone.map((pattern) => {
      const file = `pages${pattern === "/" ? "/index" : pattern}.tsx`;
      return `lib/navigation/table.ts lists ${pattern}, which no file has: write ${file}, or remove the line.`;
    }),
  ];
}

/** How a page with this text is rendered: by the name of its data function, which Next wants exported. */
function renderingOf(text: string): PageEntry["rendering"] {
  if (/\bget(ServerSide|Initial)Props\b/.test(text)) return "server";
  return /\brevalidate\b/.test(text) ? "incremental" : "static";
}

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
 * Compares the languages with the files that hold their texts.
 *
 * @param files names in lib/messages
 * @param catalogue the text of its catalogue.ts
 * @returns a sentence for each difference
 */
export function languageFaults(locales: readonly string[], files: string[], catalogue: string) {
  const wanted = locales.map((locale) => `${locale.toLowerCase()}.ts`);
  const present = files.filter((file) => /^[a-z]{2,3}(-[a-z\d]{2,8})*\.ts$/.test(file));
  return [
    ...wanted.flatMap((file, index) =>
      files.includes(file)
        ? []
        : `The language ${locales[index]} has no texts: write lib/messages/${file}.`,
    ),
    ...present.flatMap((file) =>
      wanted.includes(file)
        ? []
        : `lib/messages/${file} is no language of the app: add it to lib/messages/locales.ts, or remove the file.`,
    ),
    ...present.flatMap((file) =>
      catalogue.includes(`"./${file.replace(/\.ts$/, "")}"`)
        ? []
        : `lib/messages/${file} is not in lib/messages/catalogue.ts: import it there.`,
    ),
  ];
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

/** Packages that add `<style>` elements. */
const styleMakers = ["styled-components", "@emotion/react", "@emotion/styled", "@emotion/css"];

/**
 * Lint and types know nothing of the policy, which blocks `<style>` elements.
 *
 * @param sources texts by path
 * @param packages that the app depends on
 * @returns a sentence for each file and each package that needs such elements
 */
export function styleFaults(sources: Record<string, string>, packages: string[]): string[] {
  const advice = "which the policy blocks: docs/security.md says what works instead.";
  const files = Object.keys(sources).filter((file) =>
    /<style\s[^>]*\bjsx\b/.test(sources[file] ?? ""),
  );
  const makers = packages.filter((name) => styleMakers.includes(name));
  return [
    ...files.map((file) => `${file} has <style jsx>, ${advice}`),
    ...makers.map((name) => `package.json has ${name}, which adds <style> elements, ${advice}`),
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

/** @returns texts of the files of code, by path */
function codeOf(files: string[]): Record<string, string> {
  const code = files.filter((file) => /\.[jt]sx?$/.test(file));
  return Object.fromEntries(code.map((file) => [file, read(file)]));
}

/** @param name of a package */
function installedVersion(name: string) {
  const file = `node_modules/${name}/package.json`;
  return existsSync(file) ? JSON.parse(read(file)).version : undefined;
}

/** Prints what lint and types can't see in the project in the current folder. */
function check() {
  const below = (folder: string) => filesIn(folder).map((file) => `${folder}/${file}`);
  const sources = codeOf(["lib", "components", "pages"].flatMap(below));
  const variables = [...nextVariables, ...uploadVariables, ...runtimeVariables, ...appVariables];
  const faults = [
    ...routeFaults(pages, sources),
    ...apiFaults(below("pages")),
    ...languageFaults(locales, readdirSync("lib/messages"), read("lib/messages/catalogue.ts")),
    ...variableFaults(variables, read(".env.example")),
    ...styleFaults(sources, Object.keys(JSON.parse(read("package.json")).dependencies)),
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) check();
