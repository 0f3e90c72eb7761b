import { builtInPages } from "./built-in.ts";
import type { ExpectedOfPage, PageEntry } from "./page-entry.ts";

/*
 * The one table of the app's pages. What else the app knows of its pages is derived from it: the map
 * and the rail, types of links, what the tests visit.
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
} as const satisfies Record<string, PageEntry>;

/** What the tests expect of pages. Apart from `pages`, which every visitor's browser gets. */
export const expected: Partial<Record<keyof typeof pages, ExpectedOfPage>> = {
  "/moved": { status: 307 },
  "/missing": { status: 404 },
  "/failures/server-data": { status: 500 },
  "/failures/server-render": { status: 500 },
};
