export { replayIntegration as integration } from "@sentry/browser";
