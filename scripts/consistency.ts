import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { posix, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { variables as reportingVariables } from "@signpost/sentry/server";
import { appVariables, neededExamples } from "../lib/config.ts";
import { defaultLocale, locales, textsOf } from "../lib/messages/locales.ts";

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
  // The types of all texts come from English, which need not be a language of the app.
  const wanted = ["en", ...locales].map((locale) => `${locale.toLowerCase()}.ts`);
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
 * @param examples of the variables that must be set, by name
 * @returns a sentence for each without one
 */
export function exampleFaults(examples: Record<string, string>): string[] {
  return Object.keys(examples)
    .filter((name) => !examples[name])
    .map(
      (name) =>
        `${name} must be set, and the tests run without your .env: end its line in lib/config.ts with .meta({ example: "…" }), or give it a .default() or .optional().`,
    );
}

/**
 * Follows the imports of CSS Modules, which types take for granted.
 *
 * @param sources texts by path
 * @param exists tells whether a file is there
 * @returns a sentence for each import that leads nowhere
 */
export function styleFaults(
  sources: Record<string, string>,
  exists: (path: string) => boolean,
): string[] {
  return Object.entries(sources).flatMap(([source, text]) =>
    [...text.matchAll(/ from "(@\/|\.{1,2}\/)([^"]+\.module\.css)"/g)]
      .map(([, start = "", path = ""]) =>
        start === "@/" ? path : posix.join(posix.dirname(source), start, path),
      )
      .filter((path) => !exists(path))
      .map((path) => `${source} imports ${path}, which is not there.`),
  );
}

/**
 * Follows the links of documents. What a package says is read in `node_modules` too, where nothing is but
 * the package.
 *
 * @param documents texts by path
 * @param exists tells whether a file or folder is there
 * @returns a sentence for each link that leads nowhere
 */
export function linkFaults(
  documents: Record<string, string>,
  exists: (path: string) => boolean,
): string[] {
  return Object.entries(documents).flatMap(([document, text]) => {
    const [ownFolder = ""] = /^packages\/[^/]+\//.exec(document) ?? [];
    return [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].flatMap(([, link = ""]) => {
      const [path = "", heading] = link.split("#");
      const target = path ? posix.join(posix.dirname(document), path) : document;
      if (!target.startsWith(ownFolder)) {
        return `${document} links to ${link}, which is not in the package: name it without a link.`;
      }
      const isThere = heading
        ? headingsOf(documents[target] ?? "").includes(heading)
        : exists(target);
      return isThere ? [] : `${document} links to ${link}, which is not there.`;
    });
  });
}

/** @returns the anchors that GitHub gives them */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
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
  const variables = [...nextVariables, ...reportingVariables, ...appVariables];
  const documents = globSync([
    "*.md",
    "docs/*.md",
    "packages/*/{README,CALLS,REFERENCE}.md",
  ]).sort();
  const styled = [...below("components"), ...below("pages"), ...below("lib")].filter((file) =>
    file.endsWith(".tsx"),
  );
  const faults = [
    ...linkFaults(Object.fromEntries(documents.map((file) => [file, read(file)])), existsSync),
    ...apiFaults(below("pages")),
    ...languageFaults(locales, readdirSync("lib/messages")),
    ...textFaults(Object.keys((await textsOf(defaultLocale)).pages), below("pages")),
    ...variableFaults(variables, read(".env.example")),
    ...exampleFaults(neededExamples()),
    ...styleFaults(Object.fromEntries(styled.map((file) => [file, read(file)])), existsSync),
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
