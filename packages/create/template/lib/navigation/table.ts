import { builtInPages } from "./built-in.ts";
import type { ExpectedOfPage, PageEntry } from "./page-entry.ts";

/** Every page, by the pattern that Next gives it. */
export const pages = {
  "/": { rendering: "static" },
  "/notes": { rendering: "server" },
  "/notes/[id]": { rendering: "server", example: { id: "welcome" } },
  ...builtInPages,
} as const satisfies Record<string, PageEntry>;

export { expected } from "../../tests/pages.ts";
export type { ExpectedOfPage };
