import { execFile } from "node:child_process";
import { copyProject } from "./project-copy.js";
import { perform, recipe, recipes, type Step } from "./recipes.js";

/** Where the copies are: below the project, so that hard links and its packages are at hand. */
const folderOf = (name: string) => `.next-variants/takeover/${name}`;

/** What a command that ran in a copy said, and its exit code. */
export interface Outcome {
  code: number;
  output: string;
}

/**
 * Makes a copy of the project as it is, and does the steps of docs/make-it-yours.md in it.
 *
 * @param steps by default all of these sections
 */
export function takeOver(name: string, headings: string[], steps = recipes(headings)): string {
  const folder = folderOf(name);
  copyProject(folder);
  perform(steps, folder);
  return folder;
}

/** The steps of a section, without those that a team forgets. */
export function without(heading: string, forgotten: (step: Step) => boolean): Step[] {
  const all = recipe(heading);
  const steps = all.filter((step) => !forgotten(step));
  if (steps.length === all.length) throw new Error("No step was forgotten");
  return steps;
}

/** Runs one of the commands of a copy, with the environment of the tests and no variable of the app. */
export function npmRun(folder: string, ...args: string[]): Promise<Outcome> {
  return execute(folder, "npm", ["run", "--silent", ...args]);
}

/** Runs one of the commands of a copy, which must succeed. */
export async function mustRun(folder: string, ...args: string[]): Promise<void> {
  expectSuccess(await npmRun(folder, ...args), `npm run ${args.join(" ")} in ${folder}`);
}

/**
 * Runs the unit tests of a copy but for those of the databases, which take longest: they know no page,
 * no text and no language.
 */
export function mustPassUnits(folder: string): Promise<void> {
  const left = ["relay/outbox", "relay/delivery", "inbox/contract"];
  return mustRun(folder, "unit", "--", ...left.map((name) => `--exclude=tests/unit/${name}/**`));
}

/** Runs the end-to-end tests of `npm test` in a copy, on some of its builds. They must pass. */
export async function mustPassEndToEnd(folder: string, ...variants: string[]): Promise<void> {
  const args = ["playwright", "test", ...variants.map((variant) => `--project=${variant}`)];
  expectSuccess(await execute(folder, "npx", args), `${args.join(" ")} in ${folder}`);
}

function execute(cwd: string, command: string, args: string[]): Promise<Outcome> {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", FORCE_COLOR: undefined };
  return new Promise((resolve) => {
    execFile(command, args, { cwd, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const code = error ? Number(error.code ?? 1) : 0;
      resolve({ code, output: stdout + stderr });
    });
  });
}

function expectSuccess({ code, output }: Outcome, what: string): void {
  if (code !== 0) throw new Error(`${what} ended with ${code}:\n${output}`);
}
