import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Files } from "./comparison-apps.ts";
import { sentrySetup } from "./sentry-setup.ts";

const folders = ["components", "lib", "pages", "public"];
const files = ["instrumentation-client.ts", "sentry.client.config.ts", "sentry.server.config.ts"];

/** Signpost itself, without `instrumentation.ts`: nothing starts the server's side of reporting. */
export function unreportedSignpost(): Files {
  const paths = [
    ...files,
    "next.config.js",
    "package.json",
    "tsconfig.json",
    "tsconfig.build.json",
    ...folders.flatMap(filesBelow),
  ];
  const texts = Object.fromEntries(paths.map((path) => [path, readFileSync(path, "utf8")]));
  texts["next.config.js"] = (texts["next.config.js"] ?? "").replaceAll(
    "import.meta.dirname",
    'new URL("../../..", import.meta.url).pathname',
  );
  return texts;
}

/** The same with the documented Sentry set-up on its server. */
export function documentedSignpost(): Files {
  const texts = unreportedSignpost();
  const config = texts["next.config.js"]?.replace(/export default (?=async function)/, "");
  return {
    ...texts,
    "next.config.js": `import { withSentryConfig as documented } from "@sentry/nextjs/config";
${config}
export default documented(config, { silent: true, telemetry: false, sourcemaps: { disable: true } });
`,
    "documented.server.js": sentrySetup["sentry.server.config.js"] ?? "",
    "instrumentation.js": (sentrySetup["instrumentation.js"] ?? "").replace(
      "./sentry.server.config.js",
      "./documented.server.js",
    ),
  };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
