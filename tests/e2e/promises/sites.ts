import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildCopy, makeCopy } from "../../support/build-copy.ts";
import { buildIsStale, sourceHash, writeStamp } from "../../support/build-stamp.ts";
import { freePort } from "../../support/free-port.js";
import { nextBuild } from "../../support/next-build.ts";
import { sharePackages } from "../../support/project-copy.js";
import { signalGroup, spawnNext, startApp, untilItAnswers } from "../../support/server.ts";

const sources = "tests/e2e/promises";

/** The pages and their `proxy.ts`: where each file stands, from the root of either app. */
const files: Record<string, string> = Object.fromEntries(
  ["proxy.ts", ...readdirSync(join(sources, "pages"), { recursive: true, encoding: "utf8" })]
    .filter((path) => /\.\w+$/.test(path))
    .map((path) => [path === "proxy.ts" ? path : join("pages", path), path])
    .map(([to = "", path = ""]) => [
      to,
      join(sources, to.startsWith("pages") ? "pages" : "", path),
    ]),
);

/** How both apps are configured and run. */
export interface Configuration {
  /** Of the folders. */
  name: string;
  command: "start" | "dev";
  basePath: string;
  trailingSlash: boolean;
}

/** A served app that has the pages. */
export interface Site {
  origin: string;
  kill: () => Promise<unknown>;
}

/** Whose promises they are: Next with the pages and nothing else. */
export async function startPlainNext(configuration: Configuration): Promise<Site> {
  const { name, command, basePath, trailingSlash } = configuration;
  const folder = `.next-variants/copies/plain-next-${name}`;
  const dist = join(folder, ".next");
  mkdirSync(folder, { recursive: true });
  rmSync(join(folder, "pages"), { recursive: true, force: true });
  for (const [to, source] of Object.entries(files)) cpSync(source, join(folder, to));
  cpSync(join(sources, "rewrites.js"), join(folder, "rewrites.js"));
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  writeFileSync(
    join(folder, "next.config.js"),
    `import { rewrites } from "./rewrites.js";

export default {
  rewrites,
  basePath: "${basePath}",
  trailingSlash: ${trailingSlash},
  i18n: { locales: ["en", "de"], defaultLocale: "en", localeDetection: false },
  turbopack: { root: import.meta.dirname },
  outputFileTracingRoot: import.meta.dirname,
  typescript: { ignoreBuildErrors: true },
};
`,
  );
  sharePackages(folder);
  if (command === "start") {
    const hash = sourceHash(folder, {});
    if (buildIsStale(dist, hash)) {
      await nextBuild(folder);
      writeStamp(dist, hash);
    }
  }
  return serve(folder, configuration);
}

/** The same pages in Signpost. */
export async function startSignpost(configuration: Configuration): Promise<Site> {
  const { command, basePath, trailingSlash } = configuration;
  const name = `promises-${configuration.name}`;
  const config = readFileSync("next.config.js", "utf8");
  const texts = {
    "rewrites.js": readFileSync(join(sources, "rewrites.js"), "utf8"),
    "next.config.js": `import { rewrites } from "./rewrites.js";\n${config.replace(
      "  const config = {",
      `$&\n    rewrites,\n    trailingSlash: ${trailingSlash},`,
    )}`,
  };
  const env = { NEXT_PUBLIC_BASE_PATH: basePath };
  if (command === "dev") return serve(makeCopy(name, files, texts), configuration, env);
  return startApp("default", {}, await buildCopy(name, files, texts, env));
}

async function serve(
  folder: string,
  { command, basePath }: Configuration,
  env: Record<string, string> = {},
): Promise<Site> {
  const port = String(await freePort());
  const rates = { SENTRY_TRACES_SAMPLE_RATE: "1", BROWSER_TRACES_SAMPLE_RATE: "1" };
  const program = spawnNext(command, { ...env, ...rates }, folder, ["-p", port]);
  const origin = `http://localhost:${port}`;
  await untilItAnswers(program, `${origin}${basePath}/p/long`);
  // Development compiles each page when it is first asked for.
  if (command === "dev") {
    const pages = Object.keys(files).filter((path) => /^pages.*\.tsx$/.test(path));
    for (const path of [...pages, "pages/nowhere"]) {
      await fetch(origin + path.replace("pages", basePath).replace(/\.tsx?$/, ""));
    }
  }
  return {
    origin,
    kill: () => {
      signalGroup(program.child, "SIGKILL");
      return program.exited;
    },
  };
}
