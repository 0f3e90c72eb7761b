import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../support/free-port.js";

/**
 * @typedef {object} Server
 * @property {string} origin such as `http://127.0.0.1:40123`
 * @property {number} pid
 * @property {() => string} output
 * @property {() => Promise<number>} stop gives its exit code
 */

/** Whatever the shell says of these must not change what is measured. */
const kept = ["PATH", "HOME", "TMPDIR", "LANG", "TZ"];

process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));

/**
 * Serves Signpost's ordinary build with a data folder of its own.
 *
 * @param {Record<string, string>} [env]
 * @returns {Promise<Server>}
 */
export async function startSignpost(env = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), "signpost-bench-"));
  const forget = () => rmSync(dataDir, { recursive: true, force: true });
  process.once("exit", forget);
  const port = await freePort();
  const server = await startNode(".", ["scripts/start.ts"], port, {
    PORT: String(port),
    HOST: "127.0.0.1",
    DATA_DIR: dataDir,
    LOG_LEVEL: "error",
    // One address stands for a multitude here.
    RELAY_RATE: "1000000",
    ...env,
  });
  return {
    ...server,
    stop: async () => {
      const code = await server.stop();
      process.off("exit", forget);
      forget();
      return code;
    },
  };
}

/**
 * Serves a comparison app, as `next start` does.
 *
 * @param {string} folder
 * @param {Record<string, string>} [env]
 * @returns {Promise<Server>}
 */
export async function startNext(folder, env = {}) {
  const port = await freePort();
  const next = resolve("node_modules/next/dist/bin/next");
  return startNode(folder, [next, "start", "-p", String(port), "-H", "127.0.0.1"], port, env);
}

/**
 * @param {string} cwd
 * @param {string[]} args
 * @param {number} port
 * @param {Record<string, string>} env
 * @returns {Promise<Server>}
 */
async function startNode(cwd, args, port, env) {
  const surroundings = Object.fromEntries(kept.map((name) => [name, process.env[name]]));
  const child = spawn(process.execPath, args, {
    cwd,
    env: /** @type {NodeJS.ProcessEnv} */ ({
      ...surroundings,
      NODE_ENV: "production",
      NEXT_TELEMETRY_DISABLED: "1",
      ...env,
    }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said = (said + chunk).slice(-10_000);
    });
  }
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  /** @type {Promise<number>} */
  const exited = once(child, "close").then(([code]) => {
    process.off("exit", end);
    return code ?? 128;
  });
  const origin = `http://127.0.0.1:${port}`;
  await untilItAnswers(origin, exited, () => said);
  return {
    origin,
    pid: /** @type {number} */ (child.pid),
    output: () => said,
    stop: async () => {
      child.kill("SIGTERM");
      const impatience = setTimeout(end, 15_000);
      const code = await exited;
      clearTimeout(impatience);
      return code;
    },
  };
}

/**
 * @param {string} origin
 * @param {Promise<number>} exited
 * @param {() => string} output
 */
async function untilItAnswers(origin, exited, output) {
  /** @type {number | undefined} */
  let ended;
  exited.then((code) => {
    ended = code;
  });
  for (;;) {
    try {
      await fetch(origin);
      return;
    } catch (cause) {
      if (ended !== undefined) {
        throw new Error(`The server ended with ${ended}:\n${output()}`, { cause });
      }
      await wait(50);
    }
  }
}
