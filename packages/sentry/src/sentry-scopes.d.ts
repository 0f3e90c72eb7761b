/**
 * `@sentry/core` under a second name, by package.json. A bundler keeps of a module what any page wants,
 * and the SDK wants most of it: without a module of their own, the scopes would weigh 3 kB more.
 */
declare module "sentry-scopes" {
  export * from "@sentry/core";
}
