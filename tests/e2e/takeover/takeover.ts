import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { copyProject } from "../../support/project-copy.js";
import { variants } from "../../support/variants.ts";

/** What a command that ran in a copy said, and its exit code. */
export interface Outcome {
  code: number;
  output: string;
}

/** A copy of the project, to be changed as a team does. All paths are relative to it. */
export class ProjectCopy {
  /** Below the project, so that hard links and its packages are at hand. */
  readonly folder: string;

  /** @param name what an earlier copy of it has built stays */
  constructor(name: string) {
    this.folder = `.next-variants/takeover/${name}`;
    copyProject(this.folder);
  }

  write(file: string, text: string): void {
    const path = join(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** @param file of the project */
  copy(file: string, to: string): void {
    this.write(to, readFileSync(file, "utf8"));
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), "utf8");
  }

  has(path: string): boolean {
    return existsSync(join(this.folder, path));
  }

  /** @throws where one of these files or folders is not there */
  remove(...paths: string[]): void {
    for (const path of paths) rmSync(join(this.folder, path), { recursive: true });
  }

  /** @throws {Error} where the old text is not there exactly once */
  replace(file: string, old: string | RegExp, text: string): void {
    const path = join(this.folder, file);
    const before = readFileSync(path, "utf8");
    const pattern = new RegExp(typeof old === "string" ? escaped(old) : old.source, "gm");
    const { length = 0 } = before.match(pattern) ?? [];
    if (length !== 1) throw new Error(`${path} has ${length} places for ${pattern}, not one`);
    writeFileSync(
      path,
      before.replace(pattern, () => text),
    );
  }

  /** Removes lines by what each begins with, without its indentation. */
  removeLines(file: string, ...beginnings: string[]): void {
    for (const text of beginnings) {
      this.replace(file, new RegExp(`^ *${escaped(text)}.*\\n`), "");
    }
  }

  /** Removes properties of an object literal, each with all of its value. */
  removeProperties(file: string, ...names: string[]): void {
    for (const name of names) {
      const value = "(?: \\{\\n[\\s\\S]*?^\\1\\},\\n| .*\\n)";
      this.replace(file, new RegExp(`^( *)${escaped(name)}:${value}`), "");
    }
  }

  /** Adds lines after the one that has this text. */
  addLines(file: string, after: string, ...lines: string[]): void {
    this.replace(file, after, [after, ...lines].join("\n"));
  }

  /** Runs one of the commands of package.json, with no variable of the app. */
  run(...args: string[]): Promise<Outcome> {
    return this.#execute("npm", ["run", "--silent", ...args]);
  }

  /** As `run`. @throws {Error} where it fails */
  async mustRun(...args: string[]): Promise<void> {
    this.#expectSuccess(await this.run(...args), `npm run ${args.join(" ")}`);
  }

  /**
   * What `npm run check` runs, but for what concerns the package alone, which knows nothing of the app.
   *
   * @throws {Error} where it fails
   */
  async mustPassCheck(): Promise<void> {
    for (const command of ["consistency", "lint", "types"]) await this.mustRun(command);
  }

  /** Runs the app's component and unit tests, but for those of databases. The package's are the same here. */
  async mustPassUnits(): Promise<void> {
    const folders = ["base", "lint", "messages", "navigation", "policy", "scripts", "server"]
      .map((name) => `tests/unit/${name}`)
      .filter((folder) => this.has(folder));
    const args = ["vitest", "run", "--project=unit", "--project=components"];
    const all = [...args, ...folders, "tests/components", "--exclude=tests/components/sentry/**"];
    this.#expectSuccess(await this.#execute("npx", all), all.join(" "));
  }

  /** Builds it, and runs the end-to-end tests of the app's own pages that are in `npm test`. */
  async mustPassEndToEnd(): Promise<void> {
    for (const project of ["build-own", "own"]) {
      const args = ["playwright", "test", "--no-deps", `--project=${project}`];
      this.#expectSuccess(await this.#execute("npx", args), args.join(" "));
    }
  }

  /** Makes what the builds with the pages of the tests are made of. */
  async makeFixtures(): Promise<void> {
    const code = `import { makeFixtureProject } from "./tests/fixtures/fixture-project.js";
      makeFixtureProject("${variants.default.source}");`;
    const args = ["--input-type=module", "--eval", code];
    this.#expectSuccess(await this.#execute(process.execPath, args), "making the fixtures");
  }

  #execute(command: string, args: string[]): Promise<Outcome> {
    const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", FORCE_COLOR: undefined };
    const options = { cwd: this.folder, env, maxBuffer: 2 ** 26 };
    return new Promise((resolve) => {
      execFile(command, args, options, (error, stdout, stderr) => {
        const code = error ? Number(error.code ?? 1) : 0;
        resolve({ code, output: stdout + stderr });
      });
    });
  }

  #expectSuccess({ code, output }: Outcome, what: string): void {
    if (code !== 0) throw new Error(`${what} in ${this.folder} ended with ${code}:\n${output}`);
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
