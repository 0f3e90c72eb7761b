import type { PageEntry } from "./page-entry.ts";

/* The pages that come with Signpost. table.ts adds the app's own, and is what everything else reads. */

export const builtInPages = {
  // docs/make-it-yours.md tells what else goes with a line.
  "/feedback": { rendering: "static" },
  "/reports": { rendering: "server" },
  "/reports/[group]": { rendering: "server" },
} satisfies Record<string, PageEntry>;

/** Whether the app shows the reports that it keeps where no service is configured. */
export const hasInbox = "/reports" in builtInPages;

/** Pages and API routes that are asked for too often to be measured, each with all below it. */
export const excludeFromTracing = [
  // The inbox fetches its data every other second.
  "/reports",
  // Balancers and Prometheus ask again and again.
  "/api/health",
  "/api/metrics",
];
