/** The files that show what Next's router can do: nothing else of the app needs them. */
export const placeholders = [
  ...["static.tsx", "incremental", "server.tsx", "dynamic", "catch-all", "optional"].map(inPages),
  ...["slow.tsx", "moved.tsx", "missing.tsx", "failures", "api/echo", "api/failure.ts"].map(
    inPages,
  ),
  "components/placeholders",
  "tests/e2e/own/placeholders",
];

/** @param {string} name */
function inPages(name) {
  return `pages/${name}`;
}
