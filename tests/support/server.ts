import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "./free-port.js";
import { unsetVariables } from "./unset-variables.ts";
import { variants } from "./variants.ts";

export type Variant = keyof typeof variants;
export type Environment = Record<string, string | undefined>;

/** A process with a group of its own, as terminals and supervisors start them, and all it has said. */
export interface Program {
  child: ChildProcess;
  output: () => string;
  /** Its exit code; 128 and more where a signal ended it. */
  exited: Promise<number>;
}

/**
 * Starts the production server of a variant, with the given variables and no others.
 *
 * @param folder of another build that is served instead, or of a standalone output
 */
export function spawnServer(
  variant: Variant,
  env: Environment,
  folder: string = variants[variant].folder,
): Program {
  const isStandalone = existsSync(join(folder, "server.js"));
  return isStandalone ? spawnNode("server.js", env, folder) : spawnNext("start", env, folder);
}

/** Starts one of Next's own commands, with the given variables and no others. */
export function spawnNext(
  command: "dev" | "start",
  env: Environment,
  cwd: string,
  args: string[] = [],
): Program {
  return spawnNode("node_modules/next/dist/bin/next", env, cwd, [command, ...args]);
}

/**
 * Starts one of the commands of package.json as it is typed: by way of npm, under the Node that is
 * outside of the project.
 */
export function spawnNpm(name: string, env: Environment, cwd = ".", args: string[] = []): Program {
  return spawnProgram("npm", ["run", "--silent", name, "--", ...args], outside(env), cwd);
}

/** Without what `npm test` has put in front of the PATH. */
function outside(env: Environment): Environment {
  const folders = process.env.PATH?.split(delimiter) ?? [];
  const PATH = folders.filter((folder) => !folder.endsWith(join("node_modules", ".bin")));
  return { PATH: PATH.join(delimiter), ...env };
}

/** Runs a script, with the given variables and no others. */
export function spawnNode(
  script: string,
  env: Environment,
  cwd: string,
  args: string[] = [],
): Program {
  return spawnProgram(process.execPath, [script, ...args], env, cwd);
}

/** @param user who runs it, if not the one of this process */
export function spawnProgram(
  command: string,
  args: string[],
  env: Environment,
  cwd: string,
  user: { uid?: number; gid?: number } = {},
): Program {
  const child = spawn(command, args, {
    ...user,
    cwd,
    detached: true,
    env: { ...process.env, ...unsetVariables, ...env } as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      said += chunk;
    });
  }
  // A worker that is ended early leaves nothing behind.
  const end = () => signalGroup(child, "SIGKILL");
  process.once("exit", end);
  const exited = once(child, "close").then(([code]) => {
    process.off("exit", end);
    return (code as number | null) ?? 128;
  });
  return { child, output: () => said, exited };
}

/**
 * Signals all processes of the group that a child leads.
 *
 * @param signal 0 only asks
 * @returns whether there is any
 */
export function signalGroup({ pid = 0 }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** A running app, as a test sees it. */
export interface App {
  variant: Variant;
  /** Such as `http://localhost:40123`, without base path. */
  origin: string;
  basePath: string;
  inboxToken: string;
  dataDir: string;
  /** The path in this variant of a path of the specification, in a locale. */
  path: (path: string, locale?: string) => string;
  /** The same as a whole URL. */
  url: (path: string, locale?: string) => string;
  /** What the server has written so far. */
  output: () => string;
  /** Closes the pipes that the server writes to, as a log collector does that dies. */
  stopReading: () => void;
  signal: (name: NodeJS.Signals) => void;
  /** Its exit code; 128 and more where a signal ended it. */
  exited: Promise<number>;
  /** Asks the server to stop, waits for it, and removes its data. Gives its exit code. */
  stop: () => Promise<number>;
  /** Ends the server at once, and removes its data: for when nothing is expected of it any more. */
  kill: () => Promise<void>;
}

/** Starts an app with a data folder of its own, on a free port unless `env` has one, and waits until it answers. */
export async function startApp(
  variant: Variant,
  env: Environment = {},
  folder?: string,
): Promise<App> {
  const port = env.PORT ?? (await freePort());
  const dataDir = mkdtempSync(join(tmpdir(), "signpost-"));
  const inboxToken = "token-of-the-tests";
  const origin = `http://localhost:${port}`;
  const basePath = variants[variant].env.NEXT_PUBLIC_BASE_PATH;
  const variables = {
    PORT: String(port),
    HOSTNAME: "0.0.0.0",
    DATA_DIR: dataDir,
    INBOX_TOKEN: inboxToken,
    SENTRY_TRACES_SAMPLE_RATE: "1",
    BROWSER_TRACES_SAMPLE_RATE: "1",
    ...env,
  };
  const program = spawnServer(variant, variables, folder);
  await untilItAnswers(program, `${origin}${basePath}/api/health/live`);
  const path = (to: string, locale = "en") => {
    const prefix = basePath + (locale === "en" ? "" : `/${locale}`);
    return to === "/" && prefix ? prefix : prefix + to;
  };
  return {
    variant,
    origin,
    basePath,
    inboxToken,
    dataDir,
    path,
    url: (to, locale) => origin + path(to, locale),
    output: program.output,
    stopReading: () => {
      program.child.stdout?.destroy();
      program.child.stderr?.destroy();
    },
    signal: (name) => program.child.kill(name),
    exited: program.exited,
    stop: async () => {
      program.child.kill("SIGTERM");
      const impatience = setTimeout(() => program.child.kill("SIGKILL"), 15_000);
      const code = await program.exited;
      clearTimeout(impatience);
      rmSync(dataDir, { recursive: true, force: true });
      return code;
    },
    kill: async () => {
      program.child.kill("SIGKILL");
      await program.exited;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Waits until a server answers at a URL, and fails if it ends before. */
export async function untilItAnswers(program: Program, url: string): Promise<void> {
  let code: number | undefined;
  program.exited.then((exitCode) => {
    code = exitCode;
  });
  for (;;) {
    try {
      await fetch(url);
      return;
    } catch (cause) {
      if (code !== undefined) {
        throw new Error(`The server ended with ${code}:\n${program.output()}`, { cause });
      }
      await wait(50);
    }
  }
}
