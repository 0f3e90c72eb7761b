import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { Folder } from "../../../packages/create/src/folder.js";
import { copyProject } from "../../support/project-copy.js";
import { variants } from "../../support/variants.ts";

/** What a command that ran in a copy said, and its exit code. */
export interface Outcome {
  code: number;
  output: string;
}

/** A copy of the project, to be changed as a team does. All paths are relative to it. */
export class ProjectCopy extends Folder {
  /** @param name what an earlier copy of it has built stays */
  constructor(name: string) {
    // Below the project, so that hard links and its packages are at hand.
    super(`.next-variants/takeover/${name}`);
    copyProject(this.folder);
  }

  /** @param file of the project */
  copy(file: string, to: string): void {
    this.write(to, readFileSync(file, "utf8"));
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
    const folders = ["lint", "messages", "navigation", "policy", "scripts", "server"]
      .map((name) => `tests/unit/${name}/`)
      .filter((folder) => this.has(folder));
    const args = ["vitest", "run", "--project=unit", "--project=components"];
    const all = [...args, ...folders, "tests/components", "--exclude=packages/**"];
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
