import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { npmCommand } from "./node-from-npm.cjs";

/** The exit code of a process that was told to stop: 128 plus the number of SIGINT. */
const interruptedCode = 130;

const signals = ["SIGINT", "SIGTERM", "SIGHUP"];

const running: Set<ChildProcess> = new Set();
let stopping = false;

/** Whether this process has been told to stop while a program ran. */
export function isInterrupted() {
  return stopping;
}

/** Stops what runs in the foreground. A program that does not stop is killed after ten seconds. */
function stop() {
  if (stopping) return;
  stopping = true;
  for (const child of running) {
    child.kill("SIGINT");
    setTimeout(() => child.kill("SIGKILL"), 10_000).unref();
  }
}

/**
 * Runs a program in the foreground, with this process's input and output. A signal to stop is passed
 * on to it.
 *
 * @param env set besides this process's environment
 * @param cwd the folder it runs in
 * @returns its exit code
 */
export async function run(
  command: string,
  args: string[],
  env: Record<string, string | undefined> = {},
  cwd = ".",
): Promise<number> {
  if (stopping) return interruptedCode;
  if (running.size === 0) for (const signal of signals) process.on(signal, stop);
  const child = spawn(command, args, { stdio: "inherit", cwd, env: { ...process.env, ...env } });
  running.add(child);
  try {
    return await new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve(stopping ? interruptedCode : (code ?? 1)));
    });
  } finally {
    running.delete(child);
    if (running.size === 0 && !stopping) {
      for (const signal of signals) process.off(signal, stop);
    }
  }
}

/** Runs npm: the one that runs this script, if there is one. */
export function npm(args: string[], env?: Record<string, string | undefined>) {
  const [command, first] = npmCommand();
  return run(command, [...first, ...args], env);
}
