import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fixtureHash, makeFixtureProject } from "../fixtures/fixture-project.js";
import { buildIsStale, writeStamp } from "./build-stamp.ts";
import { nextBuild } from "./next-build.ts";
import { completeStandalone } from "./standalone.ts";

/**
 * Makes or renews a copy of Signpost, with the pages of the tests and with further files, as a team
 * would add them.
 *
 * @param name of the copy's folder
 * @param sources for each further file of the copy, the file whose text it gets
 * @param texts the text of each file that the copy has otherwise
 * @returns its folder
 */
export function makeCopy(
  name: string,
  sources: Record<string, string>,
  texts: Record<string, string> = {},
): string {
  const folder = `.next-variants/copies/${name}`;
  makeFixtureProject(folder);
  for (const [path, source] of Object.entries(sources)) cpSync(source, join(folder, path));
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/**
 * Builds such a copy, unless the same was built before.
 *
 * @param env variables for the build
 * @returns the folder of its standalone output
 */
export async function buildCopy(
  name: string,
  sources: Record<string, string>,
  texts: Record<string, string> = {},
  env: Record<string, string> = {},
): Promise<string> {
  const folder = makeCopy(name, sources, texts);
  const [dist, standalone] = [join(folder, ".next"), join(folder, ".next/standalone")];
  const hash = fixtureHash(folder, env);
  if (!buildIsStale(dist, hash)) return standalone;
  await nextBuild(folder, env);
  completeStandalone(folder, standalone);
  writeStamp(dist, hash);
  return standalone;
}
