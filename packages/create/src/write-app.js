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
  app.replace("package.json", /^ {2}"name": ".*"/, `  "name": "${packageNameOf(folder)}"`);
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
const catalogue = "lib/messages/catalogue.ts";

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
    if (!languages.includes(code)) removeTexts(app, code);
  }
  const kept = languages.map((code) => lines.get(code)).join("");
  app.replace(list, "export const languages = {\n", `export const languages = {\n${kept}`);
}

/**
 * @param {Folder} app
 * @param {string} code of a language
 */
function removeTexts(app, code) {
  app.removeLines(catalogue, `${code},`);
  if (code === "en") {
    // Its texts stay: their shape is the type of every other language's.
    app.replace(catalogue, "import { en, type Messages }", "import type { Messages }");
    return;
  }
  app.removeLines(catalogue, `import { ${code} }`);
  const texts = readdirSync(join(app.folder, "lib/messages"), {
    recursive: true,
    encoding: "utf8",
  });
  app.remove(
    ...texts
      .filter((file) => /[^/\\]+$/.exec(file)?.[0] === `${code}.ts`)
      .map((file) => join("lib/messages", file)),
  );
}
