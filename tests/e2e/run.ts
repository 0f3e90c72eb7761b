import { run } from "../../scripts/run.cjs";

/** Makes the builds that are missing, then runs the end-to-end tests of `npm test`. */
const built = await run(process.execPath, ["tests/support/variants.ts"]);
if (built !== 0) process.exit(built);
const projects = ["own", "default", "shell"].map((project) => `--project=${project}`);
const playwright = ["node_modules/playwright/cli.js", "test", ...projects];
process.exit(await run(process.execPath, [...playwright, ...process.argv.slice(2)]));
