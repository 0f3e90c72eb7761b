import { expect, test } from "vitest";
import { layerFaults } from "@/scripts/layers";

test.each([
  ["lib/relay/http/a.ts", "@/lib/base/config/x"],
  ["lib/relay/http/a.ts", "../../base/config/x.js"],
  ["lib/relay/http/deep/a.ts", "../../../base/singleton.js"],
  ["lib/relay/http/a.ts", "./b"],
  ["lib/relay/tunnel/a.ts", "node:http"],
  ["lib/relay/tunnel/a.ts", "nextjs-like"],
  ["lib/app/a.ts", "@/lib/relay/feedback/x"],
  ["components/a.tsx", "@/lib/app/x"],
  ["components/a.tsx", "react"],
  ["pages/a.tsx", "../components/x"],
  ["pages/api/a.ts", "@/lib/server/x"],
  ["instrumentation.ts", "./lib/server/x"],
  ["instrumentation-client.ts", "@/lib/relay/feedback/x"],
])("%s may import %s", (file, name) => {
  expect(layerFaults({ [file]: `import { a } from "${name}";` })).toEqual([]);
});

test.each([
  ["lib/base/config/a.ts", "@/lib/relay/http/x", "lib/relay/http is above lib/base"],
  ["lib/base/config/a.ts", "../../relay/http/x.js", "lib/relay/http is above lib/base"],
  ["lib/base/log.ts", "../site/routes/x", "lib/site/routes is above lib/base"],
  ["lib/relay/tunnel/a.ts", "../../inbox/x", "lib/inbox is above lib/relay/tunnel"],
  ["lib/sentry/server/a.ts", "@/lib/site/routes/x", "lib/site/routes is above lib/sentry"],
  ["lib/relay/feedback/a.ts", "@/lib/app/x", "lib/app is above lib/relay/feedback"],
  ["lib/server/a.ts", "@/components/x", "components is above lib/server"],
  ["lib/site/messages/a.ts", "../../../pages/x", "pages is above lib/site/messages"],
  ["components/a.tsx", "@/pages/x", "pages is above components"],
  ["lib/app/a.ts", "@/lib/server/x", "only instrumentation.ts and pages/api import lib/server"],
  ["components/a.tsx", "../lib/server/x", "only instrumentation.ts and pages/api"],
  ["pages/a.tsx", "@/lib/server/x", "only instrumentation.ts and pages/api"],
  ["instrumentation-client.ts", "./lib/server/x", "only instrumentation.ts and pages/api"],
  ["lib/relay/tunnel/a.ts", "next/router", "lib/relay/tunnel uses neither React nor Next"],
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

const late = "@/lib/sentry/browser/sdk/sdk";

test.each([
  ["lib/sentry/browser/first-load/watch-errors.ts", `await import("${late}");`],
  ["lib/sentry/browser/sdk/transport.ts", 'import { post } from "./post";'],
  ["sentry.client.config.ts", `import type { A } from "${late}";`],
])("%s may load late what %s names", (file, text) => {
  expect(layerFaults({ [file]: text })).toEqual([]);
});

test.each([
  ["lib/sentry/browser/first-load/watch-errors.ts", `import { start } from "${late}";`],
  ["lib/sentry/browser/first-load/visit.ts", 'import { replayError } from "../sdk/replay";'],
  ["lib/sentry/browser/first-load/visit.ts", `await import("${late}");`],
  ["lib/sentry/browser.ts", `import { start } from "${late}";`],
  ["instrumentation-client.ts", `export * from "${late}";`],
])("%s may not bring the SDK into the first load: %s", (file, text) => {
  expect(layerFaults({ [file]: text })).toEqual([expect.stringContaining("out of the first load")]);
});
