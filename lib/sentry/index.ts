/**
 * Sentry's functions, in browser and server code alike: `import * as Sentry from "@/lib/sentry"`.
 * package.json ("imports") says which half is meant.
 */
export * from "#sentry";
