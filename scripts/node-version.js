/**
 * Stops with a plain message on a Node that is too old. Import it first: modules after it may use
 * what only newer versions have.
 */
import { readFileSync } from "node:fs";

const wanted = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
).engines.node.replace(">=", "");

/**
 * @param {string} version such as "20.19.0"
 * @param {string} least such as "20.19"
 */
export function isOldNode(version, least) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split(".").map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}

if (isOldNode(process.versions.node, wanted)) {
  console.error(
    `Signpost needs Node ${wanted} or newer, and this is Node ${process.versions.node}. ` +
      "Install a newer one from https://nodejs.org, then run the command again.",
  );
  process.exit(1);
}
