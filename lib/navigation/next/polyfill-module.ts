/**
 * Of what Next adds to old browsers, https://github.com/vercel/next.js/tree/v16.4.6/packages/next-polyfill-module,
 * the one thing that those it builds for lack: Chrome and Edge 111, Firefox 111, Safari 16.4. Older ones
 * can't read its scripts. A `browserslist` of your own, with older ones in it, needs all: then take this
 * file's line out of lib/navigation/next/modules.ts.
 */
URL.canParse ??= (url, base) => {
  try {
    return Boolean(new URL(url, base));
  } catch {
    return false;
  }
};
