import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What the reader is told to write. */
const written =
  /^(pages\/(about|products|api\/(greeting|auth\/)|api\/\[\.\.\.path\])|lib\/(messages\/fr|app\/signed-in))/;

/**
 * @param folder of an app with its packages installed
 * @returns each link, path and script that its README and docs/ name and that is not there
 */
export function deadReferences(folder: string): string[] {
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const { scripts } = JSON.parse(read("package.json"));
  return globSync(["README.md", "docs/*.md"], { cwd: folder }).flatMap((file) => {
    const text = read(file);
    const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, first = ""]) => first);
    const links = all(/\]\((?!https?:)([^)\s]+)\)/g).filter((link) => {
      const [path, anchor] = link.split("#");
      const target = path ? join(dirname(file), path) : file;
      return (
        !existsSync(join(folder, target)) || (anchor && !anchors(read(target)).includes(anchor))
      );
    });
    const paths = all(
      /`((?:\.github|components|deploy|docs|lib|node_modules|packages|pages|public|scripts|tests|vendor)\/[^`\s{}]*)`/g,
    ).filter((path) => !written.test(path) && !existsSync(join(folder, path)));
    const commands = all(/\bnpm run ([\w-]+)/g).filter((name) => !(name in scripts));
    return [...links, ...paths, ...commands].map((name) => `${file}: ${name}`);
  });
}

/** As GitHub makes them of the headings. */
function anchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
