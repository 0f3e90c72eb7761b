import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

/** A program that runs beside this one, and everything it has said. */
export interface Running {
  pid: number;
  output: () => string;
  /** Asks it to stop, and waits for its end: after ten seconds it is killed. @returns its exit code */
  stop: () => Promise<number>;
}

interface Options {
  cwd?: string;
  env?: Record<string, string>;
}

/** Starts a program. It ends with this process, if it has not been stopped before. */
export function startProgram(command: string, args: string[], options: Options = {}): Running {
  const child: ChildProcess = spawn(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that what it has started ends with it.
    detached: true,
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      said += chunk;
    });
  }
  const kill = () => {
    if (child.pid) process.kill(-child.pid, "SIGKILL");
  };
  process.once("exit", kill);
  const ended = once(child, "close")
    .finally(() => process.off("exit", kill))
    .then(
      ([code]) => Number(code ?? 128),
      (error) => {
        said += String(error);
        return 128;
      },
    );
  return {
    pid: Number(child.pid),
    output: () => said,
    async stop() {
      child.kill("SIGTERM");
      const impatience = setTimeout(kill, 10_000);
      const code = await ended;
      clearTimeout(impatience);
      return code;
    },
  };
}

/**
 * Runs a program to its end.
 *
 * @returns what it has written to its standard output
 * @throws {Error} with its output, if it fails or can't be started
 */
export function runProgram(
  command: string,
  args: string[],
  options: Options & { input?: string } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    input: options.input,
    encoding: "utf8",
    maxBuffer: 1e9,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${status}\n${stdout}${stderr}`);
  return stdout;
}

/**
 * Waits until something is true.
 *
 * @param what it is, for the error
 * @throws {Error} if it has not become true after so many milliseconds
 */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  ms = 60_000,
): Promise<void> {
  const end = Date.now() + ms;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(`Not after ${ms / 1000} s: ${what}`);
    await wait(100);
  }
}

/** Waits until an address answers with a status below 500. @throws {Error} with the program's words */
export async function untilItAnswers(program: Running, url: string): Promise<void> {
  const answers = () =>
    fetch(url).then(
      ({ status }) => status < 500,
      () => false,
    );
  await until(`${url} answers`, answers).catch((cause) => {
    throw new Error(program.output(), { cause });
  });
}
