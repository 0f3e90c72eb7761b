/**
 * Lets the bundler leave path-to-regexp out of the browser's scripts: the package.json beside this
 * says that it has no side effects. Next's router imports it, but calls it only where an app has
 * rewrites; then it stays in. Without this, each page's first load has 2 kB more (gzip).
 */
// @ts-expect-error Next has no types for it
export * from "next/dist/compiled/path-to-regexp/index.js";
