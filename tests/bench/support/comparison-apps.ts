import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { nextBuild } from "../../support/next-build.ts";

/** Text by path inside the app. */
export type Files = Record<string, string>;

/**
 * Writes and builds a plain Next app to compare with, unless the same was built before.
 *
 * @param files `next.config.js` is the base's if there is none
 * @returns its folder: below the project, so that the very same packages are found, and Turbopack
 *   allows them
 */
export async function comparisonApp(name: string, files: Files): Promise<string> {
  const folder = `.next-variants/bench/${name}`;
  const all = { "package.json": '{"private":true,"type":"module"}', ...config(), ...files };
  const hash = createHash("sha256")
    .update(JSON.stringify(all))
    .update(readFileSync("package-lock.json"))
    .digest("hex");
  const stamp = join(folder, ".next", "bench-stamp");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return folder;
  console.log(`Building the ${name} app …`);
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  await nextBuild(folder);
  writeFileSync(stamp, hash);
  return folder;
}

/**
 * A Next configuration with what every app here must say, since it lies inside another one.
 *
 * @param options source text: imports, what to wrap the configuration in, and more settings
 */
export function config({ imports = "", wrap = (text: string) => text, more = "" } = {}): Files {
  const settings = `{
  turbopack: { root: join(import.meta.dirname, "../../..") },
  outputFileTracingRoot: join(import.meta.dirname, "../../.."),
  ${more}
}`;
  return {
    "next.config.js": `import { join } from "node:path";
${imports}
export default ${wrap(settings)};
`,
  };
}

/** One page that says hello: the least that Next itself costs. */
export const bareApp: Files = {
  "pages/index.jsx": `export default function Hello() {
  return <h1>Hello, world</h1>;
}
`,
};

/** The same page with a style sheet of its own. */
export const styledApp = (css: string): Files => ({
  ...bareApp,
  "app.css": css,
  "pages/_app.jsx": `import "../app.css";

export default function App({ Component, pageProps }) {
  return <Component {...pageProps} />;
}
`,
});
