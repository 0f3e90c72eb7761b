export {
  feedbackAsyncIntegration,
  feedbackIntegration,
  feedbackSyncIntegration,
} from "@sentry/browser";
