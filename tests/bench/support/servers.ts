import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startProgram, untilItAnswers } from "../../services/processes.ts";
import { freePort } from "../../support/free-port.js";
import { unsetVariables } from "../../support/unset-variables.ts";
import { buildVariant } from "../../support/variants.ts";

type Environment = Record<string, string>;

export interface Server {
  /** Such as `http://127.0.0.1:40123`. */
  origin: string;
  pid: number;
  /** Ends it, and gives its exit code. */
  stop: () => Promise<number>;
}

/** Makes Signpost's ordinary build unless there is one of these very sources. */
export function buildSignpost(): Promise<void> {
  return buildVariant("own");
}

/** Serves Signpost's ordinary build with a data folder of its own. */
export async function startSignpost(env: Environment = {}): Promise<Server> {
  const dataDir = mkdtempSync(join(tmpdir(), "signpost-bench-"));
  process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
  return startNext(".", {
    DATA_DIR: dataDir,
    LOG_LEVEL: "error",
    // One address stands for a multitude here.
    RELAY_RATE: "1000000",
    ...env,
  });
}

/** Serves a comparison app, as `next start` does. */
export async function startNext(folder: string, env: Environment = {}): Promise<Server> {
  const port = await freePort();
  const next = resolve("node_modules/next/dist/bin/next");
  return startNode(folder, port, [next, "start", "-p", String(port), "-H", "127.0.0.1"], env);
}

async function startNode(
  cwd: string,
  port: number,
  args: string[],
  env: Environment,
): Promise<Server> {
  const server = startProgram(process.execPath, args, {
    cwd,
    env: { ...unsetVariables, NODE_ENV: "production", PORT: String(port), ...env },
  });
  const origin = `http://127.0.0.1:${port}`;
  await untilItAnswers(server, origin);
  return { origin, pid: server.pid, stop: server.stop };
}
