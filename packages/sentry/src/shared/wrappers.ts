import type * as browser from "../browser/first-load/captures.ts";

/** Does nothing: a page's error boundaries catch nothing on the server. */
export const captureReactException: typeof browser.captureReactException = () => "";

/** Does nothing: it is for the browser's router. */
export const captureFailedNavigation: typeof browser.captureFailedNavigation = () => {};

/**
 * Does nothing, in the browser too: Next calls it in apps with an `app/` folder only. Navigations of the pages router
 * are traced by its events.
 */
export function captureRouterTransitionStart(): void {}

/*
 * What Sentry's set-up for Next puts around an app's functions. Each request is reported without them, so
 * each gives back what it is given.
 */
const asItIs = <T>(given: T, ..._more: unknown[]): T => given;

export const wrapApiHandlerWithSentry = asItIs;
export const wrapApiHandlerWithSentryVercelCrons = asItIs;
export const wrapAppGetInitialPropsWithSentry = asItIs;
export const wrapDocumentGetInitialPropsWithSentry = asItIs;
export const wrapErrorGetInitialPropsWithSentry = asItIs;
export const wrapGenerationFunctionWithSentry = asItIs;
export const wrapGetInitialPropsWithSentry = asItIs;
export const wrapGetServerSidePropsWithSentry = asItIs;
export const wrapGetStaticPropsWithSentry = asItIs;
export const wrapMiddlewareWithSentry = asItIs;
export const wrapPageComponentWithSentry = asItIs;
export const wrapRouteHandlerWithSentry = asItIs;
export const wrapServerComponentWithSentry = asItIs;
