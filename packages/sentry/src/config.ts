/** For next.config. Node itself runs this, and what it imports. */
export { withSentryConfig } from "./config/with-sentry-config.ts";
export { ConfigError, checkEnvironment } from "./shared/environment/check-environment.ts";
