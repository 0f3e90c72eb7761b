import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";

/** What Next leaves to the deployment. The last are not there where the build kept no source maps. */
const besides = ["public", ".next/static", ".next/source-maps"];

/**
 * Adds to a standalone folder what belongs beside it, as the Dockerfile and docs/deployment.md do.
 * https://nextjs.org/docs/pages/api-reference/config/next-config-js/output
 *
 * @param project whose build it is
 */
export function completeStandalone(project: string, standalone: string): void {
  for (const path of besides) {
    const from = join(project, path);
    if (existsSync(from)) cpSync(from, join(standalone, path), { recursive: true });
  }
}
