import { builtInApiRoutes, builtInPages } from "./built-in.ts";
import type { PageEntry } from "./page-entry.ts";

/*
 * The one table of the app's routes. What else the app knows of its routes is derived from it: the
 * map and the rail, types of links, matching, the names taken under /api.
 * Node itself runs this file and what it imports, because next.config.js does.
 */

/** Every page, by the pattern that Next gives it, in the order of the map. */
export const pages = {
  "/": { rendering: "static" },
  "/static": { rendering: "static" },
  "/incremental/[slug]": { rendering: "incremental", example: { slug: "alpha" } },
  "/server": { rendering: "server" },
  "/dynamic/[id]": { rendering: "server", example: { id: "a-1" } },
  "/catch-all/[...path]": { rendering: "server", example: { path: ["one", "two"] } },
  "/optional/[[...path]]": { rendering: "static", example: {} },
  "/slow": { rendering: "server" },
  "/moved": { rendering: "server", status: 307 },
  "/missing": { rendering: "server", status: 404 },
  "/failures": { rendering: "static" },
  "/failures/server-data": { rendering: "server", status: 500 },
  "/failures/server-render": { rendering: "server", status: 500 },
  "/failures/client-render": { rendering: "static" },
  "/failures/client-event": { rendering: "static" },
  "/failures/client-promise": { rendering: "static" },
  // Those that come with Signpost.
  ...builtInPages,
} as const satisfies Record<string, PageEntry>;

/** Every API route, by the pattern that Next gives it, in the same order. */
export const apiRoutes = [
  "/api/echo/[...path]",
  "/api/failure",
  // Those that come with Signpost.
  ...builtInApiRoutes,
] as const;
