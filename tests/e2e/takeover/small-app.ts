import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { transformWithOxc } from "vite";
import { packPackages } from "../../support/packed.ts";
import { environmentWith, nodeFromNpm } from "../../support/run.ts";
import { type Program, spawnProgram } from "../../support/server.ts";
import { completeStandalone } from "../../support/standalone.ts";

const npx = (...args: string[]) => ["npx", "--yes", "--prefer-offline", ...args];
const yarn = npx("--package=@yarnpkg/cli-dist@4", "yarn", "install");
const yarnrc = `enableTelemetry: false
# Sentry's own package does not name a peer that one of its dependencies has.
packageExtensions:
  "@sentry/nextjs@*":
    peerDependencies:
      react: "*"
`;
/** Yarn says of every app of Next's that Plug'n'Play loads ES modules in an experimental way. */
const withoutRemark = "logFilters:\n  - { code: YN0092, level: discard }\n";

interface Installer {
  command: string[];
  /** What else it is asked, where its installation does not fail or warn of packages that don't fit. */
  check?: string[];
  /** In the app's root, or the monorepo's. */
  files?: Record<string, string>;
  /** Where the root's package.json says which tarball a package of a package's is. */
  overrides?: "overrides" | "resolutions";
}

/** The package managers, told what each wants to know of an app. */
const installers = {
  npm: {
    command: ["npm", "install", "--prefer-offline", "--no-audit", "--no-fund"],
    check: ["npm", "ls", "--all"],
  },
  pnpm: {
    command: npx("pnpm@10", "install", "--prefer-offline"),
    files: {
      "pnpm-workspace.yaml":
        'packages:\n  - "apps/*"\nstrictPeerDependencies: true\nhoist: false\nignoredBuiltDependencies:\n  - sharp\n',
    },
  },
  yarn: {
    command: yarn,
    overrides: "resolutions",
    files: { "yarn.lock": "", ".yarnrc.yml": `${yarnrc}nodeLinker: node-modules\n` },
  },
  "yarn PnP": {
    command: yarn,
    overrides: "resolutions",
    files: { "yarn.lock": "", ".yarnrc.yml": `${yarnrc}nodeLinker: pnp\n${withoutRemark}` },
  },
  bun: { command: npx("bun@1", "install"), overrides: "overrides" },
} satisfies Record<string, Installer>;

export interface Row {
  /** Versions, or the beginnings of some: then the newest of these. */
  next: string;
  react: string;
  node: string;
  bundler: "Turbopack" | "webpack";
  server: "next start" | "standalone" | "custom server" | "Unix socket";
  installer: keyof typeof installers;
  code: "TypeScript" | "JavaScript";
  /** Whether the code is below `src/`. */
  src?: boolean;
  /** The app is one of a monorepo's, and is built and started in this folder. */
  monorepo?: "the app" | "the root";
  /** Served by a user who may write nothing of the app, from a read-only mount where this machine allows that. */
  readOnly?: boolean;
  /** Has a page of the App Router beside those of `pages/`. */
  appRouter?: boolean;
  /** What no API route takes is another server's, by a rewrite. In other apps, a route takes all of it. */
  elsewhere?: boolean;
  /** Built by a build that uploads its source maps. */
  uploads?: boolean;
  /** Served a second time, for another service and with another folder. */
  twice?: boolean;
}

/** In the root's package.json. Next 15 has a package with a script, about which npm and Yarn want a decision. */
const decided = { allowScripts: { sharp: false }, dependenciesMeta: { sharp: { built: false } } };

/** By these, package managers know a CI server, where they write no lockfile, and Next, which warns that it has no cache of builds. */
const ofCi = ["CI", "CONTINUOUS_INTEGRATION", "BUILD_NUMBER", "RUN_ID", "GITHUB_ACTIONS"];
const noCi = Object.fromEntries(ofCi.map((name) => [name, undefined]));

const source = "tests/e2e/takeover/small-app";
/** Of a user without rights. */
const nobody = 65_534;
/** Whether this machine lets its root mount: a container seldom does. */
const canMount = spawnSync("unshare", ["--mount", "true"]).status === 0;
/** Runs the rest of its arguments as that user, with the first, a folder, mounted read-only for them alone. */
const onReadOnly = `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$PWD" &&
  exec setpriv --reuid=${nobody} --regid=${nobody} --clear-groups "$@"`;

/** The app of one row, in a folder of its own outside of the project: made as the package's README says. */
export class SmallApp {
  /** The lines of its code that throw, without their indentation. */
  readonly throwing: string[] = [];
  readonly #row: Row;
  /** Where the package manager is run. */
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), "signpost-reach-")));
  readonly #folder: string;
  readonly #isNext16: boolean;
  #node: string;

  /** @throws {Error} where this Node can't be had */
  constructor(row: Row) {
    this.#row = row;
    this.#folder = row.monorepo ? join(this.#root, "apps/shop") : this.#root;
    this.#isNext16 = row.next.startsWith("16.");
    const node = nodeFromNpm(row.node);
    if (!node) throw new Error(`Node ${row.node} could not be had from npm.`);
    this.#node = node;
  }

  async write(): Promise<void> {
    const { installer, monorepo } = this.#row;
    const { files = {}, overrides }: Installer = installers[installer];
    mkdirSync(this.#folder, { recursive: true });
    const tarballs = Object.fromEntries(
      Object.entries(packPackages(this.#folder, ["relay", "sentry", "inbox"])).map(
        ([name, file]) => {
          return [name, `file:${join(this.#folder, file)}`];
        },
      ),
    );
    for (const [path, text] of Object.entries(files)) this.#put(join(this.#root, path), text);
    if (installer === "pnpm") {
      const all = Object.entries(tarballs).map(([name, file]) => `  "${name}": "${file}"\n`);
      appendFileSync(join(this.#root, "pnpm-workspace.yaml"), `overrides:\n${all.join("")}`);
    }
    const ofRoot = { ...decided, ...(overrides && { [overrides]: tarballs }) };
    if (monorepo) {
      const workspaces = installer === "pnpm" ? undefined : ["apps/*"];
      this.#putJson(join(this.#root, "package.json"), { name: "shops", workspaces, ...ofRoot });
    }
    const manifest = { ...this.#manifest(tarballs), ...(!monorepo && ofRoot) };
    this.#putJson(join(this.#folder, "package.json"), manifest);
    for (const path of readdirSync(source, { recursive: true, encoding: "utf8" })) {
      if (/\.\w+$/.test(path)) await this.#putCode(path);
    }
  }

  #manifest(tarballs: Record<string, string>): object {
    const { code, next, react } = this.#row;
    const [major] = /\d+/.exec(react) ?? [];
    const typed = { typescript: "^5", "@types/node": "^22", "@types/react": `^${major}` };
    return {
      name: "shop",
      version: "0.1.0",
      private: true,
      dependencies: {
        ...tarballs,
        ...{ next, react, "react-dom": react },
      },
      devDependencies: code === "TypeScript" ? typed : {},
    };
  }

  async #putCode(path: string): Promise<void> {
    const { appRouter, code, elsewhere, src } = this.#row;
    if (path.startsWith("app/") && !appRouter) return;
    if (path.includes("[...path]") && elsewhere) return;
    const isBeside = !/^(app|pages|instrumentation)/.test(path);
    let text = readFileSync(join(source, path), "utf8");
    if (src && !isBeside) text = text.replace('"./sentry', '"../sentry');
    let name = src && !isBeside ? `src/${path}` : path;
    if (code === "JavaScript") {
      if (path === "tsconfig.json") return;
      const options = { lang: "tsx", jsx: "preserve", sourcemap: false } as const;
      text = (await transformWithOxc(text, path, options)).code;
      name = name.replace("config.ts", "config.mjs").replace(/\.ts(x?)$/, ".js$1");
    }
    const lines = text.split("\n").map((line) => line.trim());
    this.throwing.push(...lines.filter((line) => line.includes("throw new Error")));
    this.#put(join(this.#folder, name), text);
  }

  /**
   * @returns what the package manager has said
   * @throws {Error} where packages don't fit together
   */
  async install(): Promise<string> {
    const { command, check }: Installer = installers[this.#row.installer];
    // It may need what all tests' servers go without, such as a proxy.
    const env = { ...process.env, ...this.#env() };
    const run = ([program = "", ...args]: string[]) =>
      succeed(spawnProgram(program, args, env, this.#root));
    const said = await run(command);
    if (check) await run(check);
    return said;
  }

  /** @returns what Next has said */
  build(env: Record<string, string> = {}): Promise<string> {
    const { bundler, server } = this.#row;
    const args = (bundler === "webpack") === this.#isNext16 ? [`--${bundler.toLowerCase()}`] : [];
    const output: Record<string, string> = server === "standalone" ? { OUTPUT: server } : {};
    return succeed(this.#next("build", args, { ...env, ...output }));
  }

  /** @param env of the server */
  serve(env: Record<string, string>): Program {
    const { monorepo, readOnly, server } = this.#row;
    if (server === "next start") return this.#next("start", [], env);
    let script = join(this.#folder, "server.cjs");
    if (server === "standalone") {
      const standalone = join(this.#folder, ".next/standalone", monorepo ? "apps/shop" : "");
      completeStandalone(this.#folder, standalone);
      script = join(standalone, "server.js");
    }
    if (readOnly) this.#forbidWriting();
    return this.#spawn([script], env, dirname(script));
  }

  /** Takes the rights of what a server of `nobody` needs, Node too. */
  #forbidWriting(): void {
    const node = join(this.#root, "node");
    if (this.#node === node) return;
    cpSync(this.#node, node);
    this.#node = node;
    execFileSync("chmod", ["-R", "a+rX,a-w", this.#root]);
  }

  remove(): void {
    if (this.#row.readOnly) execFileSync("chmod", ["-R", "u+w", this.#root]);
    rmSync(this.#root, { recursive: true, force: true });
  }

  #next(command: string, args: string[], env: Record<string, string>): Program {
    const next = execFileSync(this.#node, ["-p", 'require.resolve("next/dist/bin/next")'], {
      cwd: this.#folder,
      env: { ...process.env, ...this.#pnp() },
      encoding: "utf8",
    }).trim();
    return this.#row.monorepo === "the root"
      ? this.#spawn([next, command, "apps/shop", ...args], env, this.#root)
      : this.#spawn([next, command, ...args], env, this.#folder);
  }

  #spawn(args: string[], env: Record<string, string>, cwd: string): Program {
    const all = { ...this.#env(), ...this.#pnp(), NODE_ENV: "production", ...env };
    // Whoever is root may write everything.
    const isForbidden = this.#row.readOnly && env.PORT && process.getuid?.() === 0;
    if (!isForbidden) return spawnProgram(this.#node, args, all, cwd);
    if (!canMount) return spawnProgram(this.#node, args, all, cwd, { uid: nobody, gid: nobody });
    const mounted = ["--mount", "sh", "-c", onReadOnly, this.#root, this.#node, ...args];
    return spawnProgram("unshare", mounted, all, cwd);
  }

  #env() {
    // Next 15 asks the registry for what a lockfile lacks of its own packages for other systems.
    const quiet = { NEXT_TELEMETRY_DISABLED: "1", NEXT_IGNORE_INCORRECT_LOCKFILE: "1" };
    return { ...environmentWith(this.#node), ...quiet, ...noCi };
  }

  /** As `yarn node` sets it. */
  #pnp(): { NODE_OPTIONS?: string } {
    if (this.#row.installer !== "yarn PnP") return {};
    const hook = join(this.#root, ".pnp.cjs");
    const loader = pathToFileURL(join(this.#root, ".pnp.loader.mjs"));
    return { NODE_OPTIONS: `--require ${hook} --experimental-loader ${loader}` };
  }

  #putJson(file: string, content: object): void {
    this.#put(file, `${JSON.stringify(content, undefined, 2)}\n`);
  }

  #put(file: string, text: string): void {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** @throws {Error} with all that it has said */
async function succeed({ exited, output }: Program): Promise<string> {
  const code = await exited;
  if (code !== 0) throw new Error(`It ended with ${code}:\n${output()}`);
  return output();
}
