/** The modules of Next that pages, components and packages import. */
const names = ["app", "error", "form", "head", "image", "link", "navigation", "router", "script"];

const modules: Record<string, string> = {
  ...Object.fromEntries(names.map((name) => [`next/${name}`, `next/dist/esm/api/${name}.js`])),
  "next/compat/router": "next/dist/esm/client/compat/router.js",
  "next/legacy/image": "next/dist/esm/client/legacy/image.js",
};

/**
 * Gives the browser Next's ES modules, which Next ships for edge functions, in place of its CommonJS
 * ones. It is the same code, but the bundler can leave out what no page uses: 14 kB (gzip) of the
 * first load. For `turbopack.resolveAlias` of production builds only: development starts with other
 * modules. If Next moves its files, a build or every test in a browser fails.
 *
 * A module exists under two names, with `.js` (which packages of ES modules must write) and without.
 * Both need an alias: otherwise a page gets two routers, one of which knows no page.
 *
 * The same for webpack:
 * https://github.com/vercel/next.js/blob/v16.4.6/packages/next/src/build/create-compiler-aliases.ts
 */
export const browserModules: Record<string, { browser: string }> = {
  // Next's start in the browser.
  "next/dist/client/next-turbopack.js": { browser: "next/dist/esm/client/next-turbopack.js" },
  // The name is relative to `next/dist/esm/client`, where the file itself is missing.
  "../build/polyfills/polyfill-module": {
    browser: "./lib/navigation/next/polyfill-module.ts",
  },
  "../shared/lib/image-config-context.shared-runtime": {
    browser: "./lib/navigation/next/image-config-context.ts",
  },
  "next/dist/compiled/path-to-regexp": {
    browser: "./lib/navigation/next/path-to-regexp/path-to-regexp.ts",
  },
  // In React alone, which never calls it in a browser; a package may.
  "next/dist/compiled/process": { browser: "./lib/navigation/next/process.cjs" },
  // The part of `next/dynamic` that lib/navigation/dynamic.ts builds on.
  "next/dist/shared/lib/dynamic": { browser: "next/dist/esm/shared/lib/dynamic.js" },
  ...Object.fromEntries(
    Object.entries(modules).flatMap(([name, browser]) => [
      [name, { browser }],
      [`${name}.js`, { browser }],
    ]),
  ),
};

/**
 * Puts the project's own `next/dynamic` in place of Next's, which shows the loading state for ever if
 * a script can't be loaded. For `turbopack.resolveAlias` of all builds.
 */
export const dynamicModules = {
  "next/dynamic": "./lib/navigation/dynamic.ts",
  "next/dynamic.js": "./lib/navigation/dynamic.ts",
};
