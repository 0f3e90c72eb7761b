const { engines } = require("../../package.json");

/**
 * What is wrong with a version of Node. The server asks before anything else, so old Nodes must be able
 * to run this.
 *
 * @param {string} version such as "20.19.0"
 * @param {string} [oldest] that will do, such as "24.15"
 * @returns {string | undefined} a sentence if it is too old
 */
function nodeFault(version, oldest = engines.node.replace(">=", "")) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split(".").map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `Signpost needs Node ${oldest} or newer, and this is Node ${version}`;
}

/** Ends a program on a Node that is too old, with a sentence. Nothing is fetched in production. */
function refuseOldNode() {
  const fault = nodeFault(process.versions.node);
  if (!fault) return;
  process.stderr.write(`${fault}: install a newer one from https://nodejs.org.\n`);
  process.exit(1);
}

exports.nodeFault = nodeFault;
exports.refuseOldNode = refuseOldNode;
