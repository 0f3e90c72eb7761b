import { installIfStale } from "./install.js";
import { isInterrupted } from "./run.js";

const installed = await installIfStale();
if (installed !== 0) {
  if (!isInterrupted()) console.error("The packages could not be installed: see above.");
  process.exit(installed);
}
// From here on the packages are there.
const { exitOnConfigError } = await import("./environment.js");
const { buildAndServe } = await import("./serve.js");
await exitOnConfigError(buildAndServe);
