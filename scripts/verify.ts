import { runSuites } from "./test-run.ts";
import { verifySuite } from "./test-suites.ts";

await runSuites(verifySuite);
