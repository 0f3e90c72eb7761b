/** Rewrites for next.config.js, of the plain app and of Signpost alike. */
export const rewrites = async () => [
  { source: "/old/:id", destination: "/p/dyn/:id" },
  { source: "/alias", destination: "/p/query" },
  { source: "/go/:page", destination: "/p/:page" },
];
