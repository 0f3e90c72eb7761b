/**
 * Starts Next in the browser, in three tasks. Next's own entry runs everything that the page needs in
 * one, which keeps a slow phone from answering the visitor for a fifth of a second.
 *
 * First comes instrumentation-client.ts: from then on errors are kept and links are watched.
 */
import "next/dist/esm/lib/require-instrumentation-client.js";

setTimeout(() => {
  require("react-dom/client");
  setTimeout(() => {
    // @ts-expect-error: Next declares no types for it.
    require("next/dist/esm/client/next-turbopack.js");
  });
});
