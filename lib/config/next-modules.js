/** What pages may import of Next, and has state that there must be only one of. */
const names = ["app", "error", "form", "head", "image", "link", "navigation", "router", "script"];

/**
 * Has the browser get Next as the ES modules that Next brings along for edge functions, not as the
 * CommonJS that it takes by itself. It is the same code, but the bundler can leave out what no page
 * uses: 14 kB (gzip) of the first load. For `turbopack.resolveAlias`, of production builds only:
 * development starts with other modules. Should Next move its files, a build or every test in a
 * browser fails.
 *
 * The counterpart for webpack:
 * https://github.com/vercel/next.js/blob/v16.4.5/packages/next/src/build/create-compiler-aliases.ts
 *
 * @type {Record<string, { browser: string }>}
 */
export const browserModules = {
  "next/dist/client/next-turbopack.js": { browser: "next/dist/esm/client/next-turbopack.js" },
  // By its place relative to the former's, where Next has no such module.
  "../build/polyfills/polyfill-module": {
    browser: "next/dist/build/polyfills/polyfill-module.js",
  },
  ...Object.fromEntries(
    names.map((name) => [`next/${name}`, { browser: `next/dist/esm/api/${name}.js` }]),
  ),
  // What lib/navigation/dynamic.ts puts in place of `next/dynamic` is made of.
  "next/dist/shared/lib/dynamic": { browser: "next/dist/esm/shared/lib/dynamic.js" },
  "next/compat/router": { browser: "next/dist/esm/client/compat/router.js" },
  "next/legacy/image": { browser: "next/dist/esm/client/legacy/image.js" },
};
