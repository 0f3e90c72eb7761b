import { builtInApiRoutes, builtInPages } from "./built-in.js";

/**
 * The one table of the app's routes. What else the app knows of its routes is derived from it: the
 * map and the rail, types of links, matching, the names taken under /api.
 * Plain JavaScript, because next.config.js reads it.
 *
 * @typedef {"static" | "incremental" | "server"} Rendering `static`: at build time; `incremental`:
 *   at build time or first request, then renewed; `server`: for each request
 *
 * @typedef {object} PageEntry
 * @property {Rendering} rendering
 * @property {Record<string, string | readonly string[]>} [example] parameters of the link that the
 *   map shows for a dynamic page; a dynamic page without one is not on the map
 * @property {boolean} [untraced] whether requests for its data, and for that of the pages below it,
 *   are left out of measurements
 */

/**
 * Every page, by the pattern that Next gives it, in the order of the map.
 *
 * @satisfies {Record<string, PageEntry>}
 */
export const pages = /** @type {const} */ ({
  "/": { rendering: "static" },
  "/static": { rendering: "static" },
  "/incremental/[slug]": { rendering: "incremental", example: { slug: "alpha" } },
  "/server": { rendering: "server" },
  "/dynamic/[id]": { rendering: "server", example: { id: "a-1" } },
  "/catch-all/[...path]": { rendering: "server", example: { path: ["one", "two"] } },
  "/optional/[[...path]]": { rendering: "static", example: {} },
  "/slow": { rendering: "server" },
  "/moved": { rendering: "server" },
  "/missing": { rendering: "server" },
  "/failures": { rendering: "static" },
  "/failures/server-data": { rendering: "server" },
  "/failures/server-render": { rendering: "server" },
  "/failures/client-render": { rendering: "static" },
  "/failures/client-event": { rendering: "static" },
  "/failures/client-promise": { rendering: "static" },
  // Those that come with Signpost.
  ...builtInPages,
});

/** Every API route, by the pattern that Next gives it, in the same order. */
export const apiRoutes = /** @type {const} */ ([
  "/api/echo/[...path]",
  "/api/failure",
  // Those that come with Signpost.
  ...builtInApiRoutes,
]);
