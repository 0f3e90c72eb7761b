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
