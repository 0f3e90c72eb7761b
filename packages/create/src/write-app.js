import { cpSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { Folder } from "./folder.js";
import { packageNameOf } from "./options.js";

/**
 * Writes the app, of what build.js has made.
 *
 * @param {import("./options.js").Options} options
 */
export function writeApp({ folder, name, languages, inbox }) {
  cpSync(join(import.meta.dirname, "../dist"), folder, { recursive: true });
  const app = new Folder(folder);
  // npm takes no files of these names into a package.
  for (const file of ["gitignore", "npmrc"])
    renameSync(join(folder, file), join(folder, `.${file}`));
  if (!inbox) removeInbox(app);
  keepLanguages(app, languages);
  app.replace("lib/messages/product-name.ts", /"[^"]*"/, `"${name}"`);
  app.replace("README.md", /^# .*$/, `# ${name}`);
  const packageName = packageNameOf(folder);
  app.replace("package.json", /^ {2}"name": ".*"/, `  "name": "${packageName}"`);
  // Apps that are built on one machine would share Next's cache, and their images each other's source maps.
  app.replace("Dockerfile", "id=signpost-next", `id=${packageName}-next`);
  nameDeployment(app, packageName);
}

/**
 * Two apps on one machine have folders, users and units of their own. Metrics, tables and their schema
 * keep the names that the packages give them.
 *
 * @param {Folder} app
 * @param {string} name
 */
function nameDeployment(app, name) {
  const own = /(?<!@|schema |-n )\bsignpost\b(?!\.signpost_)/g;
  const files = readdirSync(join(app.folder, "deploy")).filter((file) => !file.endsWith(".js"));
  for (const file of ["docs/deployment.md", ...files.map((file) => `deploy/${file}`)]) {
    app.write(file, app.read(file).replace(own, name));
  }
  app.replace("deploy/move-to-postgres.js", "/var/lib/signpost", `/var/lib/${name}`);
  const unit = "deploy/signpost@.service";
  app.replace(unit, "Description=Signpost", `Description=${name}`);
  renameSync(join(app.folder, unit), join(app.folder, `deploy/${name}@.service`));
}

/** @param {Folder} app */
function removeInbox(app) {
  app.removeLines("package.json", '"@signpost/inbox"');
  app.removeLines(
    "sentry.server.config.ts",
    "import { inbox }",
    "// Where reports go while",
    "destination: inbox()",
  );
  const [tarball = ""] = readdirSync(join(app.folder, "vendor")).filter((file) =>
    file.startsWith("signpost-inbox-"),
  );
  app.remove(join("vendor", tarball));
}

const list = "lib/messages/locales.ts";

/**
 * @param {Folder} app
 * @param {string[]} languages in the order that the app gets
 */
function keepLanguages(app, languages) {
  const lines = new Map(
    [...app.read(list).matchAll(/^ {2}(\w+): \{ name: .*\n/gm)].map(([line, code = ""]) => [
      code,
      line,
    ]),
  );
  for (const code of lines.keys()) {
    app.removeProperties(list, code);
    // English stays: its shape is the type of every language's texts.
    if (code !== "en" && !languages.includes(code)) app.remove(`lib/messages/${code}.ts`);
  }
  const kept = languages.map((code) => lines.get(code)).join("");
  app.replace(list, "export const languages = {\n", `export const languages = {\n${kept}`);
}
