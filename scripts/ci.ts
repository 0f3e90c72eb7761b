import { runSuites } from "./test-run.ts";
import { testSuite, verifySuite } from "./test-suites.ts";

await runSuites(testSuite, verifySuite);
