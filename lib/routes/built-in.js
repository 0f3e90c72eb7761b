/**
 * The routes that come with Signpost: feedback, the inbox, the tunnel, health. table.js adds the
 * app's own, and is what everything else reads.
 */

/** @satisfies {Record<string, import("./table.js").PageEntry>} */
export const builtInPages = /** @type {const} */ ({
  "/feedback": { rendering: "static" },
  "/reports": { rendering: "server" },
  "/reports/[group]": { rendering: "server" },
});

export const builtInApiRoutes = /** @type {const} */ ([
  "/api/deliver",
  "/api/feedback",
  "/api/health/live",
  "/api/health/ready",
  "/api/settings",
  "/api/[tunnel]",
  "/api/[[...unknown]]",
]);
