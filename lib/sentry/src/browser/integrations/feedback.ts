export { feedbackIntegration as integration } from "@sentry/browser";
