import { mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { fixtureHash, makeFixtureProject } from "../fixtures/fixture-project.js";
import { buildIsStale, sourceHash, writeStamp } from "./build-stamp.ts";
import { nextBuild } from "./next-build.ts";
import { completeStandalone } from "./standalone.ts";

const plain = {
  NEXT_PUBLIC_BASE_PATH: "",
  NEXT_PUBLIC_TUNNEL: "",
  NEXT_DEPLOYMENT_ID: "",
  SITE_ORIGIN: "",
  SOURCE_MAPS: "",
  SENTRY_AUTH_TOKEN: "",
  SENTRY_ORG: "",
  SENTRY_PROJECT: "",
};

/** Copies of the project that have the pages of the tests in place of the app's own. */
const fixtureProject = ".next-variants/fixtures";
const shellProject = ".next-variants/shell-fixtures";
const companions = ".next-variants/copies/companions";

/**
 * The builds that the end-to-end tests run: of the project as it is, and two of copies with the
 * pages of the tests. Of these one is ordinary. The other has a base path and a deployment id, and is
 * kept as a standalone folder, so that this way of serving is tested too. Beside these is one of such a
 * copy with what a team brings: tests/e2e/companions/build.ts makes it.
 *
 * `source` is the folder that is built, `folder` the one that is served.
 */
export const variants = {
  shell: {
    source: shellProject,
    folder: ".next-variants/shell",
    env: {
      ...plain,
      NEXT_PUBLIC_BASE_PATH: "/shell",
      NEXT_DEPLOYMENT_ID: "deployment-1",
      SITE_ORIGIN: "https://www.example.com",
    },
  },
  default: { source: fixtureProject, folder: fixtureProject, env: plain },
  own: { source: ".", folder: ".", env: plain },
  companions: { source: companions, folder: `${companions}/.next/standalone`, env: plain },
};

/** Secrets in the environment of the build. The tests check that the builds don't hold them. */
export const secrets = {
  SENTRY_DSN: "https://secretofthebuild@sentry.invalid/1",
  INBOX_TOKEN: "secretofthebuild",
};

/**
 * Makes a variant's build, unless there is one of these very sources.
 *
 * @throws {Error} with all that Next has said about a build that failed
 */
export async function buildVariant(
  name: Exclude<keyof typeof variants, "companions">,
): Promise<void> {
  const { source, folder, env } = variants[name];
  if (source !== ".") makeFixtureProject(source);
  const hash = hashOf(source, { ...process.env, ...env });
  if (!buildIsStale(`${folder}/.next`, hash)) return;
  await nextBuild(source, { ...env, ...secrets });
  if (folder !== source) moveStandalone(source, folder);
  writeStamp(`${folder}/.next`, hash);
}

/** Takes the standalone output out of `.next`. */
function moveStandalone(source: string, folder: string) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  renameSync(`${source}/.next/standalone`, folder);
  completeStandalone(source, folder);
}

function hashOf(source: string, env: Record<string, string | undefined>) {
  return source === "." ? sourceHash(source, env) : fixtureHash(source, env);
}
