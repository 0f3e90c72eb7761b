import { existsSync, readdirSync, readFileSync } from "node:fs";
import { sep } from "node:path";
import { pathToFileURL } from "node:url";
import { sentryFaultsIn } from "../lib/build/sentry-imports.ts";
import { buildVariables } from "../lib/config/build.ts";
import { runtimeVariables } from "../lib/config/runtime.ts";
import { locales } from "../lib/messages/locales.ts";
import { apiRoutes, pages } from "../lib/routes/table.ts";
import { layerFaults } from "./layers.ts";

/** Read by the commands themselves: see listen-address.js. */
const commandVariables = ["PORT", "HOST"];

/**
 * Compares the table of routes with the files under `pages/`.
 *
 * @param pages entries by pattern
 * @param apiRoutes patterns
 * @param files paths below `pages/`, with slashes
 * @returns a sentence for each difference
 */
export function routeFaults(
  pages: Record<string, unknown>,
  apiRoutes: readonly string[],
  files: string[],
): string[] {
  const routes = files
    .filter((file) => /\.[jt]sx?$/.test(file) && !/^(_\w+|404|500)\./.test(file))
    .map((file) => ({
      file: `pages/${file}`,
      pattern: `/${file.replace(/\.[jt]sx?$/, "").replace(/(^|\/)index$/, "")}`,
    }));
  const listed = [...Object.keys(pages), ...apiRoutes];
  const forgotten = routes
    .filter(({ pattern }) => !listed.includes(pattern))
    .map(({ file, pattern }) =>
      isApi(pattern)
        ? `${file} is not in lib/routes/table.ts: add "${pattern}" to apiRoutes.`
        : `${file} is not in lib/routes/table.ts: add "${pattern}" to pages, with how it is rendered.`,
    );
  const gone = listed
    .filter((pattern) => !routes.some((route) => route.pattern === pattern))
    .map(
      (pattern) =>
        `lib/routes/table.ts lists ${pattern}, which no file has: write pages${pattern === "/" ? "/index" : pattern}.${isApi(pattern) ? "ts" : "tsx"}, or remove the line.`,
    );
  return [...forgotten, ...gone];
}

function isApi(pattern: string) {
  return /^\/api(\/|$)/.test(pattern);
}

/**
 * Compares the languages with the files that hold their texts.
 *
 * @param files names in lib/messages
 * @param catalogue the text of its catalogue.ts
 * @returns a sentence for each difference
 */
export function languageFaults(
  locales: readonly string[],
  files: string[],
  catalogue: string,
): string[] {
  const missing = locales
    .map((locale) => ({ locale, file: `${locale.toLowerCase()}.ts` }))
    .filter(({ file }) => !files.includes(file))
    .map(({ locale, file }) => `The language ${locale} has no texts: write lib/messages/${file}.`);
  const present = files.filter((file) => /^[a-z]{2,3}(-[a-z\d]{2,8})*\.ts$/.test(file));
  const unlisted = present
    .filter((file) => !locales.some((locale) => `${locale.toLowerCase()}.ts` === file))
    .map(
      (file) =>
        `lib/messages/${file} is no language of the app: add it to lib/messages/locales.ts, or remove the file.`,
    );
  const uncatalogued = present
    .filter((file) => !catalogue.includes(`"./${file.replace(/\.ts$/, "")}"`))
    .map((file) => `lib/messages/${file} is not in lib/messages/catalogue.ts: import it there.`);
  return [...missing, ...unlisted, ...uncatalogued];
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
          `.env.example explains ${name}, which nothing reads: add it to lib/config/own.ts, or remove the line.`,
      ),
    ...lines
      .filter((name, index) => lines.indexOf(name) !== index)
      .map((name) => `.env.example explains ${name} twice: remove one line.`),
  ];
}

/**
 * Lint refuses the same, but does not know where the variable should be read.
 *
 * @param sources texts by path
 * @returns a sentence for each file that reads the environment
 */
export function environmentFaults(sources: Record<string, string>): string[] {
  const comment = /\/\*.*?\*\/|\/\/[^\n]*/gs;
  return Object.entries(sources)
    .filter(([file]) => !file.startsWith("lib/config/"))
    .filter(([, text]) => /\bprocess\.env\b/.test(text.replace(comment, "")))
    .map(
      ([file]) =>
        `${file} reads process.env: add the variable to lib/config/own.ts, and read it from runtimeConfig().own. That is for the server: a component gets the value from its page's getServerSideProps or getStaticProps.`,
    );
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
  return [
    ...Object.entries(sources)
      .filter(([, text]) => /<style\s[^>]*\bjsx\b/.test(text))
      .map(([file]) => `${file} has <style jsx>, ${advice}`),
    ...packages
      .filter((name) => styleMakers.includes(name))
      .map((name) => `package.json has ${name}, which adds <style> elements, ${advice}`),
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
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(sep).join("/"))
    .sort();
}

/** @returns texts of the root's source files */
function atRoot(): Record<string, string> {
  const files = readdirSync(".").filter((file) => /\.[jt]sx?$/.test(file));
  return Object.fromEntries(files.map((file) => [file, readFileSync(file, "utf8")]));
}

/** @param name of a package */
function installedVersion(name: string) {
  const file = `node_modules/${name}/package.json`;
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : undefined;
}

/** Prints what lint and types can't see in the project in the current folder. */
function check() {
  const code = ["lib", "components", "pages"].flatMap((folder) =>
    filesIn(folder)
      .map((file) => `${folder}/${file}`)
      .filter((file) => /\.[jt]sx?$/.test(file)),
  );
  const sources = Object.fromEntries(code.map((file) => [file, readFileSync(file, "utf8")]));
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const faults = [
    ...routeFaults(pages, apiRoutes, filesIn("pages")),
    ...languageFaults(
      locales,
      readdirSync("lib/messages"),
      readFileSync("lib/messages/catalogue.ts", "utf8"),
    ),
    ...variableFaults(
      [...commandVariables, ...buildVariables, ...runtimeVariables],
      readFileSync(".env.example", "utf8"),
    ),
    ...environmentFaults(sources),
    ...layerFaults({ ...sources, ...atRoot() }),
    ...styleFaults(sources, Object.keys(dependencies)),
    ...sentryFaultsIn("."),
  ];
  const versions = "tests/contracts/versions.json";
  const warnings = existsSync(versions)
    ? versionWarnings(JSON.parse(readFileSync(versions, "utf8")), installedVersion)
    : [];
  for (const warning of warnings) console.warn(`Warning: ${warning}`);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) {
    console.error("docs/make-it-yours.md shows each step.");
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) check();
