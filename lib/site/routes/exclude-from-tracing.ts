import { apiExcludedFromTracing } from "./built-in";
import type { PageEntry } from "./page-entry";
import { pages } from "./table";

/** Pages and API routes that are asked for too often to be measured. */
export const excludeFromTracing = [
  ...Object.entries<PageEntry>(pages)
    .filter(([, page]) => page.excludeFromTracing)
    .map(([route]) => route),
  ...apiExcludedFromTracing,
];
