import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { comparisonApp } from "../../bench/support/comparison-apps.js";
import { unreportedSignpost } from "../../bench/support/own-pages.js";

const more = [
  "instrumentation.ts",
  ...["page", "part"].map((of) => `tests/support/parts/${of}.tsx`),
];

/**
 * Builds Signpost as a team would have it that added a page, `/parts`, parts of which are loaded
 * late; unless the same was built before.
 *
 * @returns the folder of its standalone output
 */
export async function buildWithParts(): Promise<string> {
  const folder = await comparisonApp("parts", {
    ...unreportedSignpost(),
    ...Object.fromEntries(more.map((path) => [path, readFileSync(path, "utf8")])),
    "pages/parts.tsx": 'export { default } from "@/tests/support/parts/page";\n',
  });
  const standalone = join(folder, ".next/standalone", folder);
  for (const path of [".next/static", "public"]) {
    cpSync(join(folder, path), join(standalone, path), { recursive: true });
  }
  return standalone;
}
