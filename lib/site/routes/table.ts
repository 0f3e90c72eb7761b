import { builtInApiRoutes, builtInPages } from "./built-in.ts";

/*
 * The one table of the app's routes. What else the app knows of its routes is derived from it: the
 * map and the rail, types of links, matching, the names taken under /api.
 * Node itself runs this file and what it imports, because next.config.js does.
 */

/**
 * `static`: at build time; `incremental`: at build time or first request, then renewed; `server`: for
 * each request.
 */
export type Rendering = "static" | "incremental" | "server";

export interface PageEntry {
  rendering: Rendering;
  /**
   * Parameters of the link that the map shows for a dynamic page; a dynamic page without one is not
   * on the map.
   */
  example?: Record<string, string | readonly string[]>;
  /**
   * Whether requests for its data, and for that of the pages below it, are left out of
   * measurements.
   */
  untraced?: boolean;
  /** What it answers to a visitor who is not signed in, where that is not 200. The tests ask for it. */
  status?: number;
  /** Whether it is shown only to who is signed in. The tests sign in with tests/support/sign-in.ts. */
  login?: true;
  /** What its scripts may weigh before it is shown, in bytes, gzipped, where the tests' own bound is too low. */
  budget?: number;
}

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
