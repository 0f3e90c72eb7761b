import { expect, test } from "vitest";
import { layerFaults } from "@/scripts/layers";

test.each([
  ["lib/http/a.ts", "@/lib/config/x"],
  ["lib/http/a.ts", "../config/x.js"],
  ["lib/http/deep/a.ts", "../../singleton.js"],
  ["lib/http/a.ts", "./b"],
  ["lib/tunnel/a.ts", "node:http"],
  ["lib/tunnel/a.ts", "nextjs-like"],
  ["lib/app/a.ts", "@/lib/feedback/x"],
  ["components/a.tsx", "@/lib/app/x"],
  ["components/a.tsx", "react"],
  ["pages/a.tsx", "../components/x"],
  ["pages/api/a.ts", "@/lib/server/x"],
  ["instrumentation.ts", "./lib/server/x"],
  ["instrumentation-client.ts", "@/lib/feedback/x"],
])("%s may import %s", (file, name) => {
  expect(layerFaults({ [file]: `import { a } from "${name}";` })).toEqual([]);
});

test.each([
  ["lib/config/a.ts", "@/lib/http/x", "lib/http is above lib/config"],
  ["lib/config/a.ts", "../http/x.js", "lib/http is above lib/config"],
  ["lib/config/deep/a.ts", "../../log.ts", "lib/log is above lib/config"],
  ["lib/log.ts", "./routes/x", "lib/routes is above lib/log"],
  ["lib/feedback/a.ts", "@/lib/app/x", "lib/app is above lib/feedback"],
  ["lib/server/a.ts", "@/components/x", "components is above lib/server"],
  ["lib/messages/a.ts", "../../pages/x", "pages is above lib/messages"],
  ["components/a.tsx", "@/pages/x", "pages is above components"],
  ["lib/app/a.ts", "@/lib/server/x", "only instrumentation.ts and pages/api import lib/server"],
  ["components/a.tsx", "../lib/server/x", "only instrumentation.ts and pages/api"],
  ["pages/a.tsx", "@/lib/server/x", "only instrumentation.ts and pages/api"],
  ["instrumentation-client.ts", "./lib/server/x", "only instrumentation.ts and pages/api"],
  ["lib/tunnel/a.ts", "next/router", "lib/tunnel uses neither React nor Next"],
  ["lib/inbox/a.ts", "react-dom/server", "lib/inbox uses neither React nor Next"],
])("%s may not import %s", (file, name, fault) => {
  for (const text of [
    `import { a } from "${name}";`,
    `import "${name}";`,
    `export * from '${name}';`,
    `const a = await import("${name}");`,
    `import {\n  a,\n} from "${name}";`,
  ]) {
    expect(layerFaults({ [file]: text }), text).toEqual([
      expect.stringContaining(`${file} imports ${name}: ${fault}`),
    ]);
  }
});

test("a folder of lib without a layer is named", () => {
  expect(layerFaults({ "lib/recipes/a.ts": "" })).toEqual([
    "lib/recipes/a.ts is in no layer: add its folder to scripts/layers.ts.",
  ]);
});

const late = "@/lib/reporting/browser/sdk/sdk";

test.each([
  ["lib/reporting/browser/first-load/watch-errors.ts", `await import("${late}");`],
  ["lib/reporting/browser/sdk/transport.ts", 'import { post } from "./post";'],
  ["sentry.client.config.ts", `import type { A } from "${late}";`],
])("%s may load late what %s names", (file, text) => {
  expect(layerFaults({ [file]: text })).toEqual([]);
});

test.each([
  ["lib/reporting/browser/first-load/watch-errors.ts", `import { start } from "${late}";`],
  ["lib/reporting/browser/first-load/visit.ts", 'import { post } from "../sdk/post";'],
  ["lib/reporting/browser/first-load/visit.ts", `await import("${late}");`],
  ["lib/sentry/capture.ts", `import { start } from "${late}";`],
  ["instrumentation-client.ts", `export * from "${late}";`],
])("%s may not bring the SDK into the first load: %s", (file, text) => {
  expect(layerFaults({ [file]: text })).toEqual([expect.stringContaining("out of the first load")]);
});
