import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sentrySetup } from "./sentry-setup.js";

const folders = ["components", "lib", "pages", "public"];
const files = ["instrumentation-client.ts", "sentry.client.config.ts", "sentry.server.config.ts"];

/**
 * Signpost itself, without `instrumentation.ts`: nothing starts the server's side of reporting.
 *
 * @returns {import("./comparison-apps.js").Files}
 */
export function unreportedSignpost() {
  const paths = [
    ...files,
    "next.config.js",
    // Its "imports" say which half of lib/sentry is meant.
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

/**
 * The same with the documented Sentry set-up on its server.
 *
 * @returns {import("./comparison-apps.js").Files}
 */
export function documentedSignpost() {
  const texts = unreportedSignpost();
  const config = texts["next.config.js"]?.replace(/export default (?=async function)/, "");
  return {
    ...texts,
    "next.config.js": `import { withSentryConfig } from "@sentry/nextjs/config";
${config}
export default withSentryConfig(config, { silent: true, telemetry: false, sourcemaps: { disable: true } });
`,
    "documented.server.js": sentrySetup["sentry.server.config.js"] ?? "",
    "instrumentation.js": (sentrySetup["instrumentation.js"] ?? "").replace(
      "./sentry.server.config.js",
      "./documented.server.js",
    ),
  };
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}
