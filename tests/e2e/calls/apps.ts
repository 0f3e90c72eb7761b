import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { buildIsStale, writeStamp } from "../../support/build-stamp.ts";
import { freePort } from "../../support/free-port.js";
import { nextBuild } from "../../support/next-build.ts";
import { spawnNode, untilItAnswers } from "../../support/server.ts";

/** What is compared. */
export const sides = ["sentry", "signpost"] as const;
export type Side = (typeof sides)[number];

const sources = "tests/e2e/calls/app";
const own = "@signpost/sentry";

/** Asked for by the browser in Sentry's app. The browser is told who that is. */
export const serviceHost = "service.example";

/**
 * Builds an app with all snippets, unless the same was built before. Both have the same files, but for the
 * package that they import.
 *
 * @returns its folder: below the project, where its other packages are found
 */
export async function buildApp(side: Side): Promise<string> {
  const folder = `.next-variants/calls/${side}`;
  const files = filesOfApp();
  files["package.json"] = '{ "private": true, "type": "module" }\n';
  if (side === "sentry") {
    for (const path of Object.keys(files)) {
      files[path] = files[path]?.replaceAll(own, "@sentry/nextjs") ?? "";
    }
  }
  const hash = hashOf(files, side);
  const dist = join(folder, ".next");
  if (!buildIsStale(dist, hash)) return folder;
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  // As npm installs it: through a link, Next would bundle it anew for each entry.
  if (side === "signpost") {
    for (const name of ["relay", "sentry"]) {
      for (const path of ["package.json", "dist"]) {
        const to = join(folder, "node_modules/@signpost", name, path);
        cpSync(join("packages", name, path), to, { recursive: true });
      }
    }
  }
  await nextBuild(folder);
  writeStamp(dist, hash);
  return folder;
}

/** The text of each file, by its path. */
function filesOfApp(): Record<string, string> {
  const paths = readdirSync(sources, { recursive: true, encoding: "utf8" });
  return Object.fromEntries(
    paths
      .filter((path) => /\.(js|tsx?)$/.test(path))
      .map((path) => [path, readFileSync(join(sources, path), "utf8")]),
  );
}

function hashOf(files: Record<string, string>, side: Side): string {
  const hash = createHash("sha256").update(JSON.stringify(files));
  hash.update(readFileSync("package-lock.json"));
  for (const dist of side === "signpost" ? ["packages/relay/dist", "packages/sentry/dist"] : []) {
    for (const path of readdirSync(dist, { recursive: true, encoding: "utf8" }).sort()) {
      if (path.endsWith(".js")) hash.update(path).update(readFileSync(join(dist, path)));
    }
  }
  return hash.digest("hex");
}

export interface RunningApp {
  origin: string;
  /** Ends its server, so that it sends what it still has. */
  stop: () => Promise<unknown>;
}

export async function serveApp(folder: string, dsn: string): Promise<RunningApp> {
  const port = String(await freePort());
  const dataDir = mkdtempSync(join(tmpdir(), "signpost-calls-"));
  const program = spawnNode(
    resolve("node_modules/next/dist/bin/next"),
    {
      SENTRY_DSN: dsn,
      DATA_DIR: dataDir,
      // One browser is all visitors here.
      RELAY_RATE: "100000",
      SENTRY_RESOLVE_STACKS: "off",
      BROWSER_TRACES_SAMPLE_RATE: "1",
    },
    folder,
    ["start", "-p", port],
  );
  const origin = `http://localhost:${port}`;
  await untilItAnswers(program, `${origin}/browser/0`);
  return {
    origin,
    async stop() {
      program.child.kill("SIGTERM");
      await program.exited;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
