/** On the edge runtime, Sentry's functions are the SDK's own, `init` too. */
export * from "@sentry/nextjs";
export {
  captureFailedNavigation,
  captureReactException,
  captureRouterTransitionStart,
} from "./shared/wrappers.ts";
