import type { PageEntry } from "./page-entry.ts";

/* The pages that come with Signpost. table.ts adds the app's own, and is what everything else reads. */

export const builtInPages = {
  // docs/make-it-yours.md tells what else goes with a line.
  "/feedback": { rendering: "static" },
} satisfies Record<string, PageEntry>;

/** Pages and API routes that are asked for too often to be measured, each with all below it. */
export const excludeFromTracing = [
  // Balancers and Prometheus ask again and again.
  "/api/health",
  "/api/metrics",
];
