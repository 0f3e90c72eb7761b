import { npm } from "./run.js";

/** What can be checked in seconds, in the order in which it fails soonest. */
for (const step of ["consistency", "lint", "types"]) {
  const code = await npm(["run", step]);
  if (code !== 0) process.exit(code);
}
