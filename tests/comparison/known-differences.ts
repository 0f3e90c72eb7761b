import type { KnownDifference } from "./differences.ts";

/**
 * Everything in which what arrives from Signpost differs from what arrives from Sentry's documented
 * set-up, and why. docs/sentry.md has the same list.
 */
export const knownDifferences: KnownDifference[] = [];
