import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Folder } from "@/packages/create/src/folder";
import { ensureBrowser } from "@/tests/support/browser";
import { temporaryFolder } from "@/tests/support/folders";
import { spawnNpm, spawnProgram } from "@/tests/support/server";
import { deadReferences } from "./dead-references";

/** What Vitest has set is not what a person's shell has. */
const shell = { VITEST: undefined, VITEST_MODE: undefined, TEST: undefined, CI: undefined };

/** @returns what it has said. @throws {Error} where it fails */
async function run(folder: string, command: string, ...args: string[]): Promise<string> {
  const { exited, output } = spawnProgram(command, args, shell, folder);
  if ((await exited) !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${output()}`);
  return output();
}

/** As `run`, of a command in its package.json. */
async function script(folder: string, name: string, env = {}, ...args: string[]): Promise<string> {
  const { exited, output } = spawnNpm(name, { ...shell, ...env }, folder, args);
  if ((await exited) !== 0) throw new Error(`npm run ${name} failed:\n${output()}`);
  return output();
}

const account = `import type { GetServerSideProps } from "next";
import { Page } from "@/components/page";
import { localized } from "@/lib/navigation/location";

export default function Account() {
  return <Page title="Account" />;
}

export const getServerSideProps = (async ({ req, locale }) => {
  if (req.cookies.user) return { props: {} };
  return { redirect: { destination: localized("/sign-in", locale), permanent: false } };
}) satisfies GetServerSideProps;
`;

const session = `import { apiRoute } from "@/lib/server/api-route";

export default apiRoute({
  POST(req, res) {
    res.setHeader("Set-Cookie", \`user=\${req.body.name}; Path=/\`).status(204).end();
  },
});
`;

/** Does what the app's docs/make-it-yours.md says of a page with texts, and what its README says of the menu. */
function addTexts(app: Folder): void {
  const [, page = "", texts = ""] =
    /\/\/ pages\/about\.tsx\n([\s\S]*?)```[\s\S]*?```ts\n([\s\S]*?)```/.exec(
      app.read("docs/make-it-yours.md"),
    ) ?? [];
  app.write("pages/about.tsx", page);
  for (const part of texts.split("// lib/messages/").slice(1)) {
    const [file = "", ...lines] = part.trimEnd().split("\n");
    app.addLines(`lib/messages/${file}`, "  pages: {", ...lines);
  }
  app.replace("components/site-nav.tsx", '"/notes", ', '"/notes", "/about", ');
}

/** Does what the app's docs/make-it-yours.md says of a dynamic page, an API route and a login. */
function addPages(app: Folder): void {
  app.write("pages/products/[id].tsx", app.read("docs/examples/product.tsx"));
  app.write("pages/api/greeting.ts", app.read("docs/examples/greeting.ts"));
  app.write("pages/account.tsx", account);
  app.write("pages/api/sign-in.ts", session);
  const guide = app.read("docs/make-it-yours.md");
  const [, expectation = "", signIn = ""] =
    /\/\/ tests\/pages\.ts\n(.*)\n\n\/\/ tests\/support\/sign-in\.ts\n([\s\S]*?)```/.exec(guide) ??
    [];
  const product = '  "/products/[id]": { path: "/products/1" },';
  app.addLines("tests/pages.ts", "ExpectedOfPage> = {", `  ${expectation}`, product);
  app.write("tests/support/sign-in.ts", signIn);
}

/** Does the second half of what the app's docs/make-it-yours.md says of a language: the file is there. */
function nameFrench(app: Folder): void {
  const [line = ""] = /^fr: .*$/m.exec(app.read("docs/make-it-yours.md")) ?? [];
  app.addLines("lib/messages/locales.ts", "export const languages = {", `  ${line}`);
}

/** Does what the app's README says of the example. */
function removeNotes(app: Folder): void {
  app.remove("pages/notes", "pages/api/notes", "lib/app/notes.ts");
  app.remove("tests/unit/notes.test.ts", "tests/e2e/notes.spec.ts");
  app.replace("components/site-nav.tsx", '"/notes", ', "");
  app.replace("pages/index.tsx", /^ *<Link href="\/notes"[\s\S]*?<\/Link>\n/, "");
  app.removeLines("pages/index.tsx", "import Link", "import buttons");
  app.replace("pages/index.tsx", "steps, example", "steps");
  app.removeLines("tests/pages.ts", '"/notes/[id]"');
  for (const language of ["de", "en", "fr"]) {
    app.removeProperties(`lib/messages/${language}.ts`, '"/notes"', '"/notes/[id]"');
  }
}

const quiet = ["--prefer-offline", "--no-audit", "--no-fund"];

test("what create-signpost writes passes its own tests, with an inbox and for a service, under a base path too", {
  timeout: 1_200_000,
}, async () => {
  const browser = { CHROMIUM_PATH: await ensureBrowser() };
  const folder = temporaryFolder();
  const pack = ["pack", "--silent", "--workspace", "create-signpost", "--pack-destination", folder];
  const tarball = (await run(".", "npm", ...pack)).trim().split("\n").at(-1);
  const create = (...args: string[]) => run(folder, "npx", "--yes", `./${tarball}`, ...args);

  const said = await create("shop", "--name", "Ben's Corner", "--languages", "en,de,ar", "--inbox");
  expect(said).toContain("cd shop && npm install && npm run dev");
  const shop = join(folder, "shop");
  await run(shop, "npm", "install", ...quiet);
  expect(deadReferences(shop)).toEqual([]);
  const unit = readFileSync(join(shop, "deploy/shop@.service"), "utf8");
  expect(unit).toContain("/srv/shop/%i");
  expect(unit).not.toMatch(/signpost/i);
  addTexts(new Folder(shop));
  addPages(new Folder(shop));
  await script(shop, "format");
  const tested = await script(shop, "test", browser);
  expect(tested).toMatch(/ every page in ar answers/);
  expect(tested).toMatch(/\d+ passed/);
  expect(tested).not.toMatch(/\d+ (failed|flaky|skipped)/);

  const others = await create("Ben's other", "--languages", "de,en", "--service");
  expect(others).toContain(`cd "Ben's other" && npm install`);
  const other = join(folder, "Ben's other");
  expect(readFileSync(join(other, "package.json"), "utf8")).not.toContain("inbox");
  expect(readFileSync(join(other, "Dockerfile"), "utf8")).toContain("type=cache,id=ben-s-other-");
  expect(readFileSync(join(other, "biome.json"), "utf8")).not.toContain("packages");
  renameSync(join(shop, "node_modules"), join(other, "node_modules"));
  await run(other, "npm", "install", ...quiet);
  await script(other, "types");
  await script(other, "build", { NEXT_PUBLIC_BASE_PATH: "/shell" });
  await script(other, "e2e", browser, "notes");
  const app = new Folder(other);
  app.write("lib/messages/fr.ts", app.read("lib/messages/en.ts"));
  await expect(script(other, "check")).rejects.toThrow("lib/messages/fr.ts is no language");
  nameFrench(app);
  removeNotes(app);
  await script(other, "format");
  expect(await script(other, "test", browser)).toMatch(/ every page in fr answers/);
});
