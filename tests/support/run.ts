import { spawn, spawnSync } from "node:child_process";
import { constants } from "node:os";
import { delimiter, dirname } from "node:path";

type Variables = Record<string, string | undefined>;

const signals = ["SIGINT", "SIGTERM"] as const;
let interrupted = false;

/** Whether this process has been told to stop while a program ran. */
export function isInterrupted(): boolean {
  return interrupted;
}

/**
 * Runs a program in the foreground, with this process's input and output. A signal to stop is passed
 * on to it, and its end is waited for.
 *
 * @param env set besides this process's environment
 * @returns its exit code; 130 if this process has been told to stop
 */
export async function run(
  command: string,
  args: string[],
  env: Variables = {},
  cwd = ".",
): Promise<number> {
  if (interrupted) return 130;
  // On Windows, npm and the programs in node_modules/.bin are command files.
  const shell = process.platform === "win32";
  const child = spawn(command, args, {
    stdio: "inherit",
    cwd,
    shell,
    env: { ...process.env, ...env } as NodeJS.ProcessEnv,
  });
  const stop = (signal: NodeJS.Signals) => {
    interrupted = true;
    child.kill(signal);
  };
  for (const signal of signals) process.on(signal, stop);
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) =>
      resolve(signal ? 128 + constants.signals[signal] : (code ?? 0)),
    );
  });
  for (const signal of signals) process.off(signal, stop);
  return interrupted ? 130 : code;
}

/**
 * Fetches a Node into npm's cache, unless it is there.
 *
 * @param version such as "24.15"
 * @returns path of its executable; undefined if it can't be had or does not run
 */
export function nodeFromNpm(version: string): string | undefined {
  const args = ["exec", "--yes", "--prefer-offline", `--package=node@${version}`];
  const { status, stdout } = spawnSync("npm", [...args, "--", "node", "-p", "process.execPath"], {
    encoding: "utf8",
    shell: process.platform === "win32",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout.trim().split("\n").pop() : undefined;
}

/** Variables with which all programs find this Node first. */
export function environmentWith(node: string): Variables {
  return { PATH: dirname(node) + delimiter + process.env.PATH };
}
