import { installIfStale } from "./install.ts";
import { isInterrupted } from "./run.ts";

const installed = await installIfStale();
if (installed !== 0) {
  if (!isInterrupted()) console.error("The packages could not be installed: see above.");
  process.exit(installed);
}
// From here on the packages are there.
const { exitOnConfigError } = await import("./environment.ts");
const { buildAndServe } = await import("./serve.ts");
await exitOnConfigError(buildAndServe);
