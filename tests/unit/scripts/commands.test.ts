import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "@/tests/support/folders";

/** @param npm a shell's lines, in place of npm */
function inPlaceOfNpm(npm: string) {
  const folder = temporaryFolder({ "node_modules/.bin/npm": `#!/bin/sh\n${npm}\n` });
  chmodSync(join(folder, "node_modules/.bin/npm"), 0o755);
  cpSync("package.json", join(folder, "package.json"));
  cpSync(".ci/run", join(folder, ".ci/run"));
  return folder;
}

test(".ci/run counts an install that fails as a failed test", () => {
  const folder = inPlaceOfNpm("echo 'npm error code E404' >&2; exit 7");
  const { status, stdout } = spawnSync(join(folder, ".ci/run"), {
    encoding: "utf8",
    env: { ...process.env, PATH: join(folder, "node_modules/.bin") + delimiter + process.env.PATH },
  });
  expect([status, stdout.trim().split("\n").at(-1)]).toEqual([1, "0 passed, 1 failed"]);
});

test.each(["up", "test", "verify"])(
  "npm run %s installs what tests and builds need, for production too",
  (name) => {
    const folder = inPlaceOfNpm('echo "npm $*"; exit 7');
    const { status, stdout } = spawnSync("npm", ["run", "--silent", name], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, NODE_ENV: "production" },
    });
    expect([status, stdout]).toEqual([7, "npm install --include=dev --loglevel=error\n"]);
  },
);

/** Has each Node of a command take itself for this one. */
const asNode20 = `--import=data:text/javascript,Object.defineProperty(process,'version',{value:'v20.19.0'})`;

test("npm run up warns of no engine where the Node outside is older than the app's", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  const [install = ""] = scripts.up.split(" && ");
  const env = { ...process.env, NODE_OPTIONS: asNode20, npm_config_loglevel: undefined };
  const installing = (command: string) =>
    spawnSync(`${command} --dry-run --offline --ignore-scripts`, {
      encoding: "utf8",
      shell: true,
      env,
    });
  const { status, stderr } = installing(install);
  expect([status, stderr]).toEqual([0, ""]);
  // Else it would say so.
  expect(installing(install.replace(/ --loglevel=\w+/, "")).stderr).toContain("EBADENGINE");
});

test("a step that can't be started is a failure, and the others are tried all the same", () => {
  const { status, stdout } = spawnSync(process.execPath, ["tests/run.ts", "test"], {
    encoding: "utf8",
    // So there is no npm.
    env: { ...process.env, PATH: "/nowhere", CHROMIUM_PATH: process.execPath },
  });
  expect([status, stdout.trim().split("\n").slice(-6)]).toEqual([
    1,
    [
      ...["consistency", "lint", "types", "unit and component tests", "end-to-end tests"].map(
        (name) => `${name}: 0 passed, 1 failed`,
      ),
      "0 passed, 5 failed",
    ],
  ]);
});
