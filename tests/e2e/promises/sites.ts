import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildCopy } from "../../support/build-copy.ts";
import { buildIsStale, sourceHash, writeStamp } from "../../support/build-stamp.ts";
import { freePort } from "../../support/free-port.js";
import { nextBuild } from "../../support/next-build.ts";
import { sharePackages } from "../../support/project-copy.js";
import { spawnNode, startApp, untilItAnswers } from "../../support/server.ts";

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

/** A served app that has the pages. */
export interface Site {
  origin: string;
  kill: () => Promise<unknown>;
}

/** Whose promises they are: Next with the pages and nothing else. */
export async function startPlainNext(): Promise<Site> {
  const folder = ".next-variants/copies/plain-next";
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
  i18n: { locales: ["en", "de"], defaultLocale: "en", localeDetection: false },
  turbopack: { root: import.meta.dirname },
  outputFileTracingRoot: import.meta.dirname,
  typescript: { ignoreBuildErrors: true },
};
`,
  );
  sharePackages(folder);
  const hash = sourceHash(folder, {});
  if (buildIsStale(dist, hash)) {
    await nextBuild(folder);
    writeStamp(dist, hash);
  }
  const port = String(await freePort());
  const next = "node_modules/next/dist/bin/next";
  const program = spawnNode(next, {}, folder, ["start", "-p", port]);
  const origin = `http://localhost:${port}`;
  await untilItAnswers(program, `${origin}/p/long`);
  return {
    origin,
    kill: () => {
      program.child.kill("SIGKILL");
      return program.exited;
    },
  };
}

/** The same pages in Signpost. */
export async function startSignpost(): Promise<Site> {
  const config = readFileSync("next.config.js", "utf8");
  const folder = await buildCopy("promises", files, {
    "rewrites.js": readFileSync(join(sources, "rewrites.js"), "utf8"),
    "next.config.js": `import { rewrites } from "./rewrites.js";\n${config.replace("  const config = {", "$&\n    rewrites,")}`,
  });
  return startApp("default", {}, folder);
}
