/*
 * Runs a script as `node` does, under a Node that is new enough: this one, or else one from npm. Where
 * there are no packages at all, it installs them first.
 *
 *   node scripts/node.cjs <script> [its arguments]
 *
 * Old Nodes must be able to run this file, as what it requires.
 */

// biome-ignore lint/style/useNodejsImportProtocol: see above
const { spawn } = require("child_process");
// biome-ignore lint/style/useNodejsImportProtocol: see above
const { constants } = require("os");
// biome-ignore lint/style/useNodejsImportProtocol: see above
const { resolve } = require("path");
// biome-ignore lint/style/useNodejsImportProtocol: see above
const { pathToFileURL } = require("url");
const { nodeFault } = require("../lib/config/node-version.cjs");
const { devEngines } = require("../package.json");
const { environmentWith, nodeFromNpm, nodePackage } = require("./node-from-npm.cjs");

const load = resolve(__dirname, "load.ts");
const fault = nodeFault(process.versions.node);
if (fault) runUnderNewer(fault);
else import(pathToFileURL(load).href);

/** @param {string} fault of this Node */
function runUnderNewer(fault) {
  const { version } = devEngines.runtime;
  const node = nodeFromNpm(version);
  if (!node) {
    console.error(
      `${fault}; Node ${version} could not be had from npm (${nodePackage()}), so install a newer one from https://nodejs.org, then run the command again.`,
    );
    process.exit(1);
  }
  console.error(`${fault}: running under Node ${version} from npm (${nodePackage()}).`);
  const child = spawn(node, [load].concat(process.argv.slice(2)), {
    stdio: "inherit",
    env: environmentWith(node),
  });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (error) => {
    console.error(error);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    process.exit(signal ? 128 + constants.signals[signal] : code || 0);
  });
}
