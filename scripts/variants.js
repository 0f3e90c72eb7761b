import "./node-version.js";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.js";
import { buildIsStale, sourceHash, writeStamp } from "./build-stamp.js";
import { exitOnConfigError, prepareEnvironment } from "./environment.js";

const plain = {
  NEXT_PUBLIC_BASE_PATH: "",
  NEXT_PUBLIC_TUNNEL: "",
  NEXT_DEPLOYMENT_ID: "",
  SOURCE_MAPS: "",
  SENTRY_AUTH_TOKEN: "",
  SENTRY_ORG: "",
  SENTRY_PROJECT: "",
};

/**
 * The builds that the end-to-end tests run. The one under a base path is kept aside as a standalone
 * folder and has a deployment id, so that this way of serving is tested too; the other is the
 * ordinary one in `.next`.
 */
export const variants = {
  shell: {
    folder: ".next-variants/shell",
    env: { ...plain, NEXT_PUBLIC_BASE_PATH: "/shell", NEXT_DEPLOYMENT_ID: "deployment-1" },
  },
  default: { folder: ".", env: plain },
};

/** Secrets in the environment of the build. The tests check that the builds don't hold them. */
export const secrets = {
  SENTRY_DSN: "https://secretofthebuild@sentry.invalid/1",
  INBOX_TOKEN: "secretofthebuild",
};

/**
 * Makes the builds that are missing or older than the sources, the ordinary one last, since each
 * goes through `.next`.
 *
 * @returns {Promise<number>} exit code of the first build that failed, or 0
 */
export async function buildVariants() {
  for (const [name, { folder, env }] of Object.entries(variants)) {
    const hash = sourceHash(".", { ...process.env, ...env });
    if (!buildIsStale(`${folder}/.next`, hash)) {
      console.log(`The ${name} build is up to date.`);
      continue;
    }
    const code = await build({ ...env, ...secrets });
    if (code !== 0) return code;
    if (folder !== ".") moveStandalone(folder, hash);
  }
  return 0;
}

/**
 * Takes the standalone output out of `.next`.
 *
 * @param {string} folder
 * @param {string} hash
 */
function moveStandalone(folder, hash) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  renameSync(".next/standalone", folder);
  writeStamp(`${folder}/.next`, hash);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  prepareEnvironment("production");
  await exitOnConfigError(async () => process.exit(await buildVariants()));
}
