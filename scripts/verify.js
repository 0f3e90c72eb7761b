import { runSuites } from "./test-run.js";
import { verifySuite } from "./test-suites.js";

await runSuites(verifySuite);
