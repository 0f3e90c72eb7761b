import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

/** Where code of the app may be that calls Sentry's functions. */
const folders = ["components", "lib", "pages"];
const files = ["instrumentation.ts", "instrumentation-client.ts", "sentry.client.config.ts"];

/** What starts the SDK, and what configures it. */
const machinery = /^(lib\/(config|reporting|sentry)\/|sentry\.)/;

const comment = /\/\*.*?\*\/|(?<![:"'])\/\/[^\n]*/gs;
/** Of types nothing is left in the code that runs. */
const imported =
  /(?:\b(?:import|export)\s+(?!type\b)(?:[^"';]*?\bfrom\s*)?|\b(?:import|require)\s*\(\s*)["'](@sentry\/[\w-]+)["']/g;

/**
 * In the browser the SDK comes late, so its own functions do nothing until then: lib/sentry has the
 * same ones, which wait. And a second `init` replaces the client that Signpost has started.
 *
 * @param sources texts by path
 * @returns a sentence for each file that must take Sentry's functions from lib/sentry
 */
export function sentryFaults(sources: Record<string, string>): string[] {
  return Object.entries(sources).flatMap(([file, source]) => {
    const text = source.replace(comment, "");
    const packages = machinery.test(file) ? [] : [...text.matchAll(imported)];
    const faults = [...new Set(packages.map(([, name]) => name))].map(
      (name) =>
        `${file} imports ${name}: write import * as Sentry from "@/lib/sentry", which has the same functions and also works before the SDK is loaded. See docs/sentry.md.`,
    );
    if (/\bSentry\.init\s*\(/.test(text)) {
      faults.push(
        `${file} calls Sentry.init, which would replace the client that Signpost starts: put the options into sentry.client.config.ts or sentry.server.config.ts. See docs/sentry.md.`,
      );
    }
    return faults;
  });
}

/** @returns as `sentryFaults`, of all code of the app below this folder */
export function sentryFaultsIn(root: string): string[] {
  const inFolders = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
        (file) => `${folder}/${file.split(sep).join("/")}`,
      ),
    );
  const code = [...inFolders, ...files].filter(
    (file) => /\.[jt]sx?$/.test(file) && existsSync(join(root, file)),
  );
  const sources = code.map((file) => [file, readFileSync(join(root, file), "utf8")] as const);
  return sentryFaults(Object.fromEntries(sources));
}

/**
 * For the build, which must not make an app whose reports are lost.
 *
 * @throws {Error} with the sentences of `sentryFaults`
 */
export function checkSentryImports(root: string): void {
  const faults = sentryFaultsIn(root);
  if (faults.length > 0) throw new Error(faults.join("\n"));
}
