import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildCopy } from "../support/build-copy.ts";
import { freePort } from "../support/free-port.js";
import { unsetVariables } from "../support/unset-variables.ts";
import { startProgram, untilItAnswers } from "./processes.ts";

const pages = "tests/services/pages";

export interface App {
  origin: string;
  inboxToken: string;
  /** What the server has written so far. */
  output: () => string;
  stop: () => Promise<void>;
}

/**
 * Builds a copy of the project with the pages of the tests, and with some more that fail in further
 * ways.
 *
 * @returns its folder
 */
export async function buildApp(): Promise<string> {
  const standalone = await buildCopy("services", {
    "pages/services/caught.tsx": `${pages}/caught.tsx`,
    "pages/services/clicked.tsx": `${pages}/clicked.tsx`,
    "pages/services/throwing/[...path].tsx": `${pages}/throwing/[...path].tsx`,
    "pages/services/thrown/[what].tsx": `${pages}/thrown/[what].tsx`,
    "pages/api/services/caught.ts": `${pages}/caught-on-server.ts`,
    "pages/api/services/rejected.ts": `${pages}/rejected.ts`,
  });
  return join(standalone, "../..");
}

/**
 * Starts the app by `next start`, with every visit and every request sampled.
 *
 * @param env variables besides
 */
export async function startApp(
  folder: string,
  dsn: string,
  env: Record<string, string> = {},
): Promise<App> {
  const port = await freePort();
  const dataDir = mkdtempSync(join(tmpdir(), "signpost-services-"));
  const inboxToken = "token-of-the-services";
  const origin = `http://localhost:${port}`;
  const next = "node_modules/next/dist/bin/next";
  const server = startProgram(process.execPath, [next, "start"], {
    cwd: folder,
    env: {
      ...unsetVariables,
      PORT: String(port),
      DATA_DIR: dataDir,
      INBOX_TOKEN: inboxToken,
      SENTRY_DSN: dsn,
      SENTRY_RELEASE: "9.8.7",
      SENTRY_ENVIRONMENT: "staging",
      SENTRY_TRACES_SAMPLE_RATE: "1",
      BROWSER_TRACES_SAMPLE_RATE: "1",
      // The limit for one visitor; here one browser is all of them.
      RELAY_RATE: "3000",
      ...env,
    },
  });
  await untilItAnswers(server, `${origin}/api/health/live`);
  return {
    origin,
    inboxToken,
    output: server.output,
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
