import { apiExcludedFromTracing } from "./built-in";
import { pages } from "./table";

/** Pages and API routes that are asked for too often to be measured. */
export const excludeFromTracing = [
  ...Object.entries(pages)
    .filter(([, page]) => "excludeFromTracing" in page)
    .map(([route]) => route),
  ...apiExcludedFromTracing,
];
