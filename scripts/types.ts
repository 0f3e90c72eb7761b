import { run } from "./run.cjs";

/** Writes the types of the routes, then checks all types. */
const next = ["node_modules/next/dist/bin/next", "typegen"];
const tsc = ["node_modules/typescript/bin/tsc", "--noEmit"];
process.exit((await run(process.execPath, next)) || (await run(process.execPath, tsc)));
