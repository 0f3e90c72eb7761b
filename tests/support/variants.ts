import { mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { buildIsStale, sourceHash, writeStamp } from "../../scripts/build-stamp.ts";
import { run } from "../../scripts/run.cjs";
import { exitOnConfigError, prepareEnvironment } from "../../scripts/serving.ts";
import { fixtureHash, makeFixtureProject } from "../fixtures/fixture-project.js";

const plain = {
  NEXT_PUBLIC_BASE_PATH: "",
  NEXT_PUBLIC_TUNNEL: "",
  NEXT_DEPLOYMENT_ID: "",
  SOURCE_MAPS: "",
  SENTRY_AUTH_TOKEN: "",
  SENTRY_ORG: "",
  SENTRY_PROJECT: "",
};

/** The copy of the project that has the pages of the tests in place of the app's own. */
const fixtureProject = ".next-variants/fixtures";

/**
 * The builds that the end-to-end tests run: of the project as it is, and two of the copy with the
 * pages of the tests. Of these one is ordinary. The other has a base path and a deployment id, and is
 * kept as a standalone folder, so that this way of serving is tested too.
 *
 * `source` is the folder that is built, `folder` the one that is served.
 */
export const variants = {
  shell: {
    source: fixtureProject,
    folder: ".next-variants/shell",
    env: { ...plain, NEXT_PUBLIC_BASE_PATH: "/shell", NEXT_DEPLOYMENT_ID: "deployment-1" },
  },
  default: { source: fixtureProject, folder: fixtureProject, env: plain },
  own: { source: ".", folder: ".", env: plain },
};

/** Secrets in the environment of the build. The tests check that the builds don't hold them. */
export const secrets = {
  SENTRY_DSN: "https://secretofthebuild@sentry.invalid/1",
  INBOX_TOKEN: "secretofthebuild",
};

/**
 * Makes the builds that are missing or older than the sources: that of the project as it is beside the
 * others, since one build alone leaves processors idle.
 *
 * @param wanted their names; none for all
 * @returns exit code of a build that failed, or 0
 */
async function buildVariants(wanted: string[]): Promise<number> {
  makeFixtureProject(fixtureProject);
  const chosen = (...names: (keyof typeof variants)[]) =>
    names.filter((name) => wanted.length === 0 || wanted.includes(name));
  // `shell` before `default`, since it goes through the `.next` of the same folder.
  const lines = [chosen("own"), chosen("shell", "default")];
  const codes = await Promise.all(lines.map((names) => buildInTurn(...names)));
  return codes.find((code) => code !== 0) ?? 0;
}

/** @returns exit code of the first build that failed, or 0 */
async function buildInTurn(...names: (keyof typeof variants)[]): Promise<number> {
  for (const name of names) {
    const { source, folder, env } = variants[name];
    const hash = hashOf(source, { ...process.env, ...env });
    if (!buildIsStale(`${folder}/.next`, hash)) {
      console.log(`The ${name} build is up to date.`);
      continue;
    }
    const code = await run(process.execPath, ["scripts/build.ts"], { ...env, ...secrets }, source);
    if (code !== 0) return code;
    if (folder !== source) moveStandalone(source, folder);
    writeStamp(`${folder}/.next`, hash);
  }
  return 0;
}

/** Takes the standalone output out of `.next`. */
function moveStandalone(source: string, folder: string) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  renameSync(`${source}/.next/standalone`, folder);
}

function hashOf(source: string, env: Record<string, string | undefined>) {
  return source === "." ? sourceHash(source, env) : fixtureHash(source, env);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  prepareEnvironment("production");
  await exitOnConfigError(async () => process.exit(await buildVariants(process.argv.slice(2))));
}
