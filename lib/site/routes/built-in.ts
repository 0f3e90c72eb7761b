import type { PageEntry } from "./page-entry.ts";

/*
 * The routes that come with Signpost: feedback, the inbox, the tunnel, health. table.ts adds the
 * app's own, and is what everything else reads.
 */

export const builtInPages = {
  // docs/make-it-yours.md tells what else goes with a line.
  "/feedback": { rendering: "static" },
  // The inbox fetches its data every other second, which must not be reported. Without its token: 404.
  "/reports": { rendering: "server", excludeFromTracing: true, status: 404, budget: 130_000 },
  "/reports/[group]": { rendering: "server", budget: 130_000 },
} satisfies Record<string, PageEntry>;

/** Whether the app shows the reports that it keeps where no service is configured. */
export const hasInbox = "/reports" in builtInPages;

export const builtInApiRoutes = [
  "/api/deliver",
  "/api/feedback",
  "/api/health/live",
  "/api/health/ready",
  "/api/metrics",
  "/api/[[...unknown]]",
] as const;

/** Of these, what is asked for too often to be measured, with all below it. */
export const apiExcludedFromTracing = ["/api/health", "/api/metrics"];
