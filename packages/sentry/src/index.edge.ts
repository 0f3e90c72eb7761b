/** On the edge runtime, Sentry's functions are the SDK's own, `init` too. */
export * from "@sentry/nextjs";

/** Does nothing: a page's error boundaries catch nothing on the server. */
export function captureReactException(): string {
  return "";
}

/** Does nothing: it is for the browser's router. */
export function captureFailedNavigation(_error: unknown): void {}

/** Does nothing: it is for the browser's router. */
export function captureRouterTransitionStart(): void {}
