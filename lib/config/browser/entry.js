/**
 * Starts Next in the browser, in several tasks. Next's own entry runs everything that the page needs
 * in one, which keeps a slow phone from answering the visitor for a fifth of a second.
 *
 * First comes instrumentation-client.ts: from then on errors are kept and links are watched. It may
 * ask for the page's data before Next has set them.
 */
import "next/dist/esm/lib/require-instrumentation-client.js";

// @ts-expect-error: every page has this element.
window.__NEXT_DATA__ = JSON.parse(document.getElementById("__NEXT_DATA__").textContent);

setTimeout(() => require("react-dom/client"));
// @ts-expect-error: Next declares no types for it.
setTimeout(() => require("next/dist/esm/client/next-turbopack.js"));
