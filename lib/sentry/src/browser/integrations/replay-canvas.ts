export { replayCanvasIntegration as integration } from "@sentry/browser";
