import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * What a team replaces with its own: the placeholder pages, and what only they use. Everything else
 * stays, and its tests run on pages of their own, tests/fixtures.
 */
export const placeholders = {
  /** Files and folders that go. */
  files: [
    "pages/static.tsx",
    "pages/incremental",
    "pages/server.tsx",
    "pages/dynamic",
    "pages/catch-all",
    "pages/optional",
    "pages/slow.tsx",
    "pages/moved.tsx",
    "pages/missing.tsx",
    "pages/failures",
    "pages/api/echo",
    "pages/api/failure.ts",
    "components/example-links.module.css",
    "components/example-links.tsx",
    "components/failing-button.tsx",
    "components/route-map.module.css",
    "components/route-map.tsx",
    "components/sign-list.module.css",
    "components/sign-list.tsx",
    "lib/routes/params.ts",
    "tests/e2e/own/placeholders",
  ],
  /**
   * Files that the app needs in any case: the placeholders' text goes, and a team's own comes.
   *
   * @type {Record<string, (text: string) => string>} by path
   */
  replaced: {
    // The home page is the team's own, and so are its texts.
    "pages/index.tsx": () => `import { Page } from "@/components/page";

export default function Home() {
  return <Page />;
}
`,
    // Every row but that of the home page.
    "lib/routes/table.js": (text) =>
      text
        .replace(/^ {2}"\/[^"]+".*\n/gm, "")
        .replace("([\n  ...builtInApiRoutes,\n])", "([...builtInApiRoutes])"),
    "lib/messages/pages/en.ts": ownTexts("Welcome", "The start of everything."),
    "lib/messages/pages/de.ts": ownTexts("Willkommen", "Der Anfang von allem."),
    "lib/messages/pages/ar.ts": ownTexts("أهلًا", "بداية كل شيء."),
  },
};

/**
 * @param {string} title
 * @param {string} purpose
 */
function ownTexts(title, purpose) {
  /** @param {string} text */
  return (text) =>
    text.replace(
      /\{\n {2}routes: .*?\n\};/s,
      `{\n  routes: {\n    "/": { title: "${title}", purpose: "${purpose}" },\n  },\n};`,
    );
}

/**
 * Takes the placeholders out of a copy of the project, as docs/make-it-yours.md says.
 *
 * @param {string} folder of the copy
 */
export function removePlaceholders(folder) {
  for (const path of placeholders.files) rmSync(join(folder, path), { recursive: true });
  for (const [path, replace] of Object.entries(placeholders.replaced)) {
    const file = join(folder, path);
    writeFileSync(file, replace(readFileSync(file, "utf8")));
  }
}
