import { cpSync, existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";

/** @typedef {import("./src/folder.js").Folder} Folder */

/** The sections of docs/make-it-yours.md that are about the repository alone. */
const foreignSections = ["Name, header and navigation", "Remove"];

/**
 * What else a page says of the repository alone, and what it says in an app.
 *
 * @type {[file: string, old: string | RegExp, text: string][]}
 */
const foreignWords = [
  ["deployment.md", " && npm run package`", "`"],
  [
    "make-it-yours.md",
    "Call it with the base path",
    "For a form, copy `pages/notes` and its `ApiForm`. Call a route with the base path",
  ],
  [
    "make-it-yours.md",
    'import styles from "@/components/page.module.css"',
    'import { Page } from "@/components/page"',
  ],
  ["make-it-yours.md", "const { title, orders }", "const { orders }"],
  ["make-it-yours.md", /<article className.*\n +<h1>.*/, "<Page>"],
  ["make-it-yours.md", "</article>", "</Page>"],
  [
    "make-it-yours.md",
    'render `<PageHead title="About us" description="Who we are." />` of `components/page-head.tsx`',
    'give `Page` a title: `<Page title="About us">`',
  ],
  // The one language that every app has the file of.
  ["make-it-yours.md", "Copy `lib/messages/de.ts`", "Copy `lib/messages/en.ts`"],
  ["make-it-yours.md", "`.page` above spaces the content", "`Page` spaces the content"],
  [
    "examples/product.tsx",
    'import { PageHead } from "@/components/page-head"',
    'import { Page } from "@/components/page"',
  ],
  ["examples/product.tsx", /^ {4}<article>\n[\s\S]*?<\/article>/, "    <Page title={name} />"],
  ["make-it-yours.md", /^- \*\*Rename\*\*.*\n- \*\*Remove\*\*.*\n/, ""],
  ["sentry.md", " `/failures` takes the place of `sentry-example-page`.", ""],
  ["sentry.md", /\[package's README\]\(.*?\)/, "package's README (`packages/sentry/README.md`)"],
  [
    "sentry.md",
    " sets up all of them in a copy of the app,",
    " of Signpost's sets up all of them,",
  ],
];

/**
 * Adds the pages of docs/ that the app's files name and template/ lacks, without what is of the repository.
 *
 * @param {Folder} app
 */
export function writeDocs(app) {
  for (const path of namedDocs(app)) if (!app.has(path)) cpSync(path, join(app.folder, path));
  for (const heading of foreignSections) {
    app.replace("docs/make-it-yours.md", new RegExp(`^## ${heading}\\n[\\s\\S]*?(?=^## )`), "");
  }
  for (const [file, old, text] of foreignWords) app.replace(`docs/${file}`, old, text);
  for (const path of namedDocs(app)) app.write(path, withoutForeignParts(app, path));
}

/**
 * @param {Folder} app
 * @returns {string[]} paths
 */
function namedDocs(app) {
  const texts = filesIn(app.folder).map((file) => app.read(file));
  const named = texts.flatMap((text) => text.match(/\bdocs\/[\w-]+\.md\b/g) ?? []);
  return [...new Set(named)].sort();
}

/**
 * The packages are in node_modules, and of what else is not here a text does without the link.
 *
 * @param {Folder} app
 * @param {string} file of docs/
 */
function withoutForeignParts(app, file) {
  return app
    .read(file)
    .replace(/\[([^\]]+)\]\(([^)#\s]*)[^)\s]*\)/g, (link, text, target) => {
      const isThere = /^$|^https?:/.test(target) || existsSync(join(app.folder, "docs", target));
      return isThere ? link : text;
    })
    .replace(/`packages\//g, "`node_modules/@signpost/");
}

/**
 * @param {string} folder
 * @returns {string[]} paths below it
 */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}
