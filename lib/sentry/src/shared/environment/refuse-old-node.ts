/** As package.json asks for it, in "engines". */
const oldestNode = "24.15";

/**
 * Ends a server on a Node that is too old, with a sentence: otherwise it would end in the database
 * without a word.
 */
export function refuseOldNode(version = process.versions.node): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split(".").map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  process.stderr.write(
    `@signpost/sentry needs Node ${oldestNode} or newer, and this is Node ${version}: install a newer one from https://nodejs.org.\n`,
  );
  process.exit(1);
}
