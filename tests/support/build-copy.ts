import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { comparisonApp } from "../bench/support/comparison-apps.js";
import { unreportedSignpost } from "../bench/support/own-pages.js";

/**
 * Builds a copy of Signpost with further files, as a team would add them; unless the same was built
 * before.
 *
 * @param name of the copy's folder
 * @param sources for each further file of the copy, the file whose text it gets
 * @param texts the text of each file that the copy has otherwise
 * @returns the folder of its standalone output
 */
export async function buildCopy(
  name: string,
  sources: Record<string, string>,
  texts: Record<string, string> = {},
): Promise<string> {
  const copied = Object.entries(sources).map(([path, source]) => [
    path,
    readFileSync(source, "utf8"),
  ]);
  const folder = await comparisonApp(name, {
    ...unreportedSignpost(),
    "instrumentation.ts": readFileSync("instrumentation.ts", "utf8"),
    ...Object.fromEntries(copied),
    ...texts,
  });
  const standalone = join(folder, ".next/standalone", folder);
  for (const path of [".next/static", "public"]) {
    cpSync(join(folder, path), join(standalone, path), { recursive: true });
  }
  return standalone;
}
