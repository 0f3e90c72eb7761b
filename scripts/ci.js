import { runSuites } from "./test-run.js";
import { testSuite, verifySuite } from "./test-suites.js";

await runSuites(testSuite, verifySuite);
