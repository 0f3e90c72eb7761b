import { runSuites } from "./test-run.js";
import { testSuite } from "./test-suites.js";

await runSuites(testSuite);
