import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Runs the script that the arguments begin with. Where there are no packages at all, installs them first. */
const script = resolve(process.argv[2] ?? "");
process.argv.splice(1, 2, script);
if (!existsSync("node_modules")) {
  const { installIfStale } = await import("./install.ts");
  const code = await installIfStale();
  if (code !== 0) {
    console.error("The packages could not be installed: see above.");
    process.exit(code);
  }
}
await import(pathToFileURL(script).href);
