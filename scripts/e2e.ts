import { npm, run } from "./run.ts";

/** Makes the builds that are missing, then runs the end-to-end tests of `npm test`. */
const built = await run(process.execPath, ["scripts/variants.ts"]);
if (built !== 0) process.exit(built);
const projects = ["own", "default", "shell"].map((project) => `--project=${project}`);
process.exit(
  await npm(["exec", "--", "playwright", "test", ...projects, ...process.argv.slice(2)]),
);
