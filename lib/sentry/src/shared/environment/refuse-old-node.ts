import { nodeFault } from "../../../../base/config/node-version.cjs";

/** Ends a server on a Node that is too old, with a sentence. Nothing is fetched in production. */
export function refuseOldNode(): void {
  const fault = nodeFault(process.versions.node);
  if (!fault) return;
  process.stderr.write(`${fault}: install a newer one from https://nodejs.org.\n`);
  process.exit(1);
}
