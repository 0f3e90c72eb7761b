import { run } from "./run.cjs";

/** What can be checked in seconds. All of it, so that one fault hides no other. */
let code = 0;
for (const step of ["consistency", "lint", "types"]) {
  code = (await run(process.execPath, ["scripts/run.cjs", step])) || code;
}
process.exit(code);
