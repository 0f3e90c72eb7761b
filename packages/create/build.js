import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { writeDocs } from "./docs.js";
import { Folder } from "./src/folder.js";
import { placeholders } from "./src/placeholders.js";

/*
 * Makes dist/, which src/ copies: the project at the root without its placeholders, packages and tests,
 * with template/ over it and the packages' tarballs.
 */

const root = join(import.meta.dirname, "../..");
process.chdir(root);

/** What of the root's folders and files a created app has. What they name in docs/ comes along. */
const shared = [
  ...["components", "lib", "pages", "public", "deploy", "scripts"],
  ...["tests/support/axe.ts", "tests/support/sign-in.ts", "docs/examples/greeting.ts"],
  ...[
    "docs/examples/product.tsx",
    "next.config.js",
    "instrumentation.ts",
    "instrumentation-client.ts",
  ],
  ...["sentry.client.config.ts", "sentry.server.config.ts", "biome.json"],
  ...["tsconfig.json", "tsconfig.build.json", ".env.example", ".gitignore"],
  ...["Dockerfile", ".dockerignore", "docker-compose.yml"],
];

/** What of components/ only the placeholders use, besides what docs/make-it-yours.md names. */
const unused = /^(sign|route-facts|trail)\./;

/** What npm takes into no package: src/ gives them their dots again. */
const hidden = ["gitignore", "npmrc"];

const made = mkdtempSync(join(import.meta.dirname, "dist-"));
try {
  const app = new Folder(join(made, "app"));
  writeApp(app, packedPackages(join(made, "tarballs")));
  const dist = join(import.meta.dirname, "dist");
  rmSync(dist, { recursive: true, force: true });
  renameSync(app.folder, dist);
} finally {
  rmSync(made, { recursive: true });
}

/**
 * Packs the workspaces that an app can have.
 *
 * @param {string} folder
 * @returns {Map<string, { file: string, needs: string[] }>} by the package's name
 */
function packedPackages(folder) {
  mkdirSync(folder);
  const packages = readdirSync("packages").filter(
    (name) => name !== "create" && existsSync(`packages/${name}/package.json`),
  );
  const entries = packages.map((name) => {
    const manifest = JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8"));
    const workspace = ["--workspace", manifest.name, "--pack-destination", folder];
    // Of an npm that runs this, its options don't hold.
    const args = ["pack", "--json=false", "--dry-run=false", "--silent", ...workspace];
    const said = execFileSync("npm", args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    const file = join(folder, said.trim().split("\n").at(-1) ?? "");
    return /** @type {const} */ ([
      manifest.name,
      { file, needs: Object.keys(manifest.dependencies ?? {}) },
    ]);
  });
  return new Map(entries);
}

/**
 * @param {Folder} app
 * @param {Map<string, { file: string, needs: string[] }>} tarballs
 */
function writeApp(app, tarballs) {
  const { folder } = app;
  for (const path of shared) cpSync(path, join(folder, path), { recursive: true });
  takeOutPlaceholders(app);
  cpSync(join(import.meta.dirname, "template"), folder, { recursive: true });
  fitToNoPackages(app);
  pinActions(app);
  writeManifest(app, tarballs);
  writeDocs(app);
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
  execFileSync(process.execPath, [biome, "format", "--write", "--log-level=error", "."], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  for (const name of hidden) renameSync(join(folder, `.${name}`), join(folder, name));
}

/**
 * The header gets a menu, the footer the name, and the texts are those of texts/.
 *
 * @param {Folder} app
 */
function takeOutPlaceholders(app) {
  const components = readdirSync(join(app.folder, "components"));
  const others = components.filter((file) => unused.test(file)).map((file) => `components/${file}`);
  // Tests of theirs are not here.
  app.remove(...[...placeholders, ...others].filter((path) => app.has(path)));
  for (const file of ["site-nav.tsx", "site-nav.module.css"]) {
    cpSync(`docs/examples/${file}`, join(app.folder, "components", file));
  }
  app.replace("components/site-nav.tsx", 'menu = ["/"]', 'menu = ["/notes", "/feedback"]');
  const shell = "components/shell.tsx";
  app.removeLines(shell, "import { Trail }", "<SiteNav />");
  app.replace(shell, "<LocaleSwitch />", "<SiteNav />\n        <LocaleSwitch />");
  app.replace(shell, "<Trail />", "<p>{productName}</p>");
  const rail = /^@media \(min-width: 60rem\) \{\n[\s\S]*?^\}\n\n/;
  app.replace("components/shell.module.css", rail, "");
  const menu = { en: "Menu", de: "Menü", ar: "القائمة" };
  for (const [language, label] of Object.entries(menu)) {
    const file = `lib/messages/${language}.ts`;
    app.replace(file, / {4}routes: ".*"/, `    routes: "${label}"`);
    const texts = readFileSync(join(import.meta.dirname, "texts", `${language}.ts`), "utf8");
    const [, own = ""] = /^export const pages.*\n([\s\S]*?)^\};/m.exec(texts) ?? [];
    app.replace(
      file,
      /^ {2}pages: \{\n[\s\S]*?^ {4}"\/feedback"/,
      `  pages: {\n${own}    "/feedback"`,
    );
    app.removeProperties(file, "lastNavigation", "facts", "rendering");
  }
}

/**
 * Configuration says nothing of packages, which are in node_modules here.
 *
 * @param {Folder} app
 */
function fitToNoPackages(app) {
  for (const file of ["tsconfig.json", "tsconfig.build.json"]) {
    const { compilerOptions, ...others } = JSON.parse(app.read(file));
    delete compilerOptions?.customConditions;
    others.exclude = others.exclude.filter(
      (/** @type {string} */ path) => !/^packages|^docs|\/./.test(path),
    );
    writeJson(app, file, { ...others, compilerOptions });
  }
  const { overrides, ...rules } = JSON.parse(app.read("biome.json"));
  for (const part of [rules.files, ...overrides]) part.includes = part.includes.filter(isShared);
  for (const { linter } of overrides) {
    const { options } = linter?.rules.style?.noRestrictedImports ?? {};
    if (options) options.patterns = options.patterns.filter(isNoPackages);
  }
  const used = overrides.filter((/** @type {Part} */ { includes }) => includes.length > 0);
  writeJson(app, "biome.json", { ...rules, overrides: used });
  for (const file of [".gitignore", ".dockerignore"]) {
    app.write(file, app.read(file).replace(/^(packages\/|\.next-variants).*\n/gm, ""));
  }
  app.replace(
    "Dockerfile",
    /^# npm compiles .*\nCOPY package\.json .*\n(COPY packages\S* .*\n)+/,
    "COPY package.json package-lock.json ./\nCOPY vendor vendor\n",
  );
}

/** @typedef {{ includes: string[] }} Part of the linter's configuration */

/** @param {string} glob */
function isShared(glob) {
  return !/^!*(packages|docs\/(?!examples)|tests\/(?!\*))/.test(glob);
}

/** @param {{ group: string[] }} pattern of imports */
function isNoPackages({ group }) {
  return !group.some((glob) => glob.includes("packages"));
}

/** @param {Folder} app */
function pinActions(app) {
  const ci = ".github/workflows/ci.yml";
  const pinned = readFileSync(".github/workflows/test.yml", "utf8");
  for (const name of ["actions/checkout", "actions/setup-node"]) {
    const [line] = new RegExp(`\\buses: ${name}@.*`).exec(pinned) ?? [];
    app.replace(ci, `uses: ${name}`, line ?? "");
  }
}

/**
 * @param {Folder} app
 * @param {Map<string, { file: string, needs: string[] }>} tarballs
 */
function writeManifest(app, tarballs) {
  const { engines, dependencies, devDependencies, overrides, allowScripts } = JSON.parse(
    readFileSync("package.json", "utf8"),
  );
  const manifest = JSON.parse(app.read("package.json"));
  const tools = Object.keys(manifest.devDependencies);
  /** @type {Record<string, string>} */
  const all = {};
  const add = (/** @type {string} */ name, /** @type {string} */ version) => {
    const tarball = tarballs.get(name);
    all[name] = tarball ? `file:vendor/${relative(dirname(tarball.file), tarball.file)}` : version;
    if (!tarball) return;
    mkdirSync(join(app.folder, "vendor"), { recursive: true });
    cpSync(tarball.file, join(app.folder, "vendor", relative(dirname(tarball.file), tarball.file)));
    // Not published, they are found as dependencies of the app alone.
    for (const other of tarball.needs) if (tarballs.has(other)) add(other, "");
  };
  for (const [name, version] of Object.entries(dependencies)) add(name, String(version));
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeJson(app, "package.json", {
    ...manifest,
    engines,
    dependencies: sorted,
    devDependencies: Object.fromEntries(tools.map((name) => [name, devDependencies[name]])),
    overrides,
    allowScripts: { node: allowScripts.node },
  });
}

/**
 * @param {Folder} app
 * @param {string} file
 * @param {object} content
 */
function writeJson(app, file, content) {
  app.write(file, `${JSON.stringify(content, undefined, 2)}\n`);
}
