import { runSuites } from "./test-run.ts";
import { testSuite } from "./test-suites.ts";

await runSuites(testSuite);
