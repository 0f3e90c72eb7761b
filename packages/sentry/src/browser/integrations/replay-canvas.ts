export { replayCanvasIntegration } from "@sentry/browser";
