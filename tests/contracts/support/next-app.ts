import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { freePort } from "../../support/free-port.js";

/** The smallest app that uses what Signpost uses of Next. */
export const appFolder = join(import.meta.dirname, "../app");
const stampFile = join(appFolder, ".next/contract-stamp");
const env = { ...process.env, NODE_ENV: "production" as const, NEXT_TELEMETRY_DISABLED: "1" };

/**
 * Builds the app with the installed Next, if that was not done before. Takes some ten seconds, so
 * the build is kept until Next or one of the files changes.
 */
export async function buildApp(): Promise<void> {
  const stamp = sourcesStamp();
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return;
  const next = join(process.cwd(), "node_modules/next/dist/bin/next");
  try {
    await promisify(execFile)(process.execPath, [next, "build", appFolder], { env });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    const sentence = "Next no longer builds the smallest app with the settings of next.config.js:";
    throw new Error(`${sentence}\n${stdout}\n${stderr}`, { cause: error });
  }
  // Code that can't be loaded: nothing that a page does itself comes to the same.
  const errorPage = join(appFolder, ".next/server/pages/_error.js");
  const broken = 'if (process.env.BREAK_ERROR_PAGE) throw new Error("broken on purpose");\n';
  writeFileSync(errorPage, broken + readFileSync(errorPage, "utf8"));
  writeFileSync(stampFile, stamp);
}

function sourcesStamp(): string {
  const hash = createHash("sha256").update(installedVersion("next"));
  const files = readdirSync(appFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith(join(appFolder, ".next")));
  for (const file of [...files.sort(), "lib/navigation/next/modules.ts"]) {
    hash.update(file).update(readFileSync(file));
  }
  return hash.digest("hex");
}

function installedVersion(name: string): string {
  return JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version;
}

/** What app/observe.js saw of one request. */
interface Observation {
  url: string;
  /** Listeners to SIGTERM when `register` of instrumentation is called; only with url "register". */
  signalListeners?: number;
  /** What Next says of its own address then. */
  origin?: string;
  port?: string;
  invokeOutput?: unknown;
  initURL?: unknown;
  status: number;
  /** Listeners to the server's "request" event. */
  listeners: number;
  /** The words of those to "upgrade". */
  upgradeListeners: string[];
  /** Listeners of the process to uncaught exceptions. */
  crashListeners: number;
  /** From the parts of the app that ran in the async context of the request, in order. */
  notes: string[];
  /** Of `ServerResponse.prototype`: name, arguments, and for writeHead the Content-Length so far. */
  calls: unknown[][];
}

export interface RunningApp {
  url: string;
  /** Resolves with what was seen of a request, once it was answered. */
  observed(url: string): Promise<Observation>;
  /** Has Next end itself. */
  end(): void;
  stop(): Promise<void>;
}

/** Serves the built app as `next start` does. */
export async function startApp(extraEnv: Record<string, string>): Promise<RunningApp> {
  const port = await freePort();
  const next = join(process.cwd(), "node_modules/next/dist/bin/next");
  // Not in its folder, as from the root of a monorepo.
  const args = [next, "start", appFolder, "-p", String(port), "-H", "127.0.0.1"];
  const child = spawn(process.execPath, args, {
    env: { ...env, ...extraEnv },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const killNow = () => child.kill("SIGKILL");
  process.once("exit", killNow);
  const observed = observationsOf(child);
  await observed("register");
  return {
    url: `http://127.0.0.1:${port}`,
    observed,
    end: () => child.kill("SIGUSR2"),
    async stop() {
      process.off("exit", killNow);
      if (child.exitCode !== null) return;
      const exited = once(child, "exit");
      killNow();
      await exited;
    },
  };
}

function observationsOf(child: ChildProcess): RunningApp["observed"] {
  const seen = new Map<string, Observation>();
  const waiting = new Map<string, (observation: Observation) => void>();
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface(stream).on("line", (line) => {
      said += `${line}\n`;
      const json = /^OBSERVED (.*)/.exec(line)?.[1];
      if (!json) return;
      const observation = JSON.parse(json) as Observation;
      seen.set(observation.url, observation);
      waiting.get(observation.url)?.(observation);
    });
  }
  const ended = once(child, "exit").then(() => {
    throw new Error(`Next no longer serves the smallest app:\n${said}`);
  });
  // Only who still waits is told.
  ended.catch(() => {});
  return (url) => {
    const observed = new Promise<Observation>((resolve) => {
      const found = seen.get(url);
      if (found) resolve(found);
      else waiting.set(url, resolve);
    });
    return Promise.race([observed, ended]);
  };
}
