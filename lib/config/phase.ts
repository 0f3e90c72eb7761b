/** Whether this process serves a finished build: neither `next build` nor the development server. */
export function isServing(): boolean {
  const { NODE_ENV, NEXT_PHASE } = process.env;
  return NODE_ENV === "production" && NEXT_PHASE !== "phase-production-build";
}
