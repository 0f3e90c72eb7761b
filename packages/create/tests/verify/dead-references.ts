import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { linkFaults } from "@/scripts/consistency";

/** What the reader is told to write. */
const written =
  /^(pages\/(about|products|api\/(greeting|auth\/)|api\/\[\.\.\.path\])|lib\/(messages\/fr|app\/signed-in))/;

/**
 * @param folder of an app with its packages installed
 * @returns each link, path and script that its README and docs/ name and that is not there
 */
export function deadReferences(folder: string): string[] {
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const exists = (path: string) => existsSync(join(folder, path));
  const { scripts } = JSON.parse(read("package.json"));
  const documents = globSync(["README.md", "docs/*.md"], { cwd: folder });
  const texts = Object.fromEntries(documents.map((file) => [file, read(file)]));
  const others = Object.entries(texts).flatMap(([file, text]) => {
    const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, first = ""]) => first);
    const paths = all(
      /`((?:\.github|components|deploy|docs|lib|node_modules|packages|pages|public|scripts|tests|vendor)\/[^`\s{}]*)`/g,
    ).filter((path) => !written.test(path) && !exists(path));
    const commands = all(/\bnpm run ([\w-]+)/g).filter((name) => !(name in scripts));
    return [...paths, ...commands].map((name) => `${file}: ${name}`);
  });
  return [...linkFaults(texts, exists), ...others];
}
