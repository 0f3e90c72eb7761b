export { browserProfilingIntegration as integration } from "@sentry/browser";
