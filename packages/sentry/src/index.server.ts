import * as Sentry from "@sentry/nextjs";
import type { ComponentClass } from "react";
import type { ClientOptions } from "./browser/client-options.ts";
import type * as boundary from "./browser/functions/error-boundary.tsx";
import type { ServerOptions } from "./server/options.ts";
import * as start from "./server/start.ts";

/** On the server, Sentry's functions are the SDK's own. TypeScript takes the types of both halves from here. */
export * from "@sentry/nextjs";
export type { ErrorBoundaryProps } from "./browser/functions/error-boundary.tsx";
export {
  captureFailedNavigation,
  captureReactException,
  captureRouterTransitionStart,
  wrapApiHandlerWithSentry,
  wrapApiHandlerWithSentryVercelCrons,
  wrapAppGetInitialPropsWithSentry,
  wrapDocumentGetInitialPropsWithSentry,
  wrapErrorGetInitialPropsWithSentry,
  wrapGetInitialPropsWithSentry,
  wrapGetServerSidePropsWithSentry,
  wrapGetStaticPropsWithSentry,
  wrapMiddlewareWithSentry,
  wrapPageComponentWithSentry,
} from "./shared/wrappers.ts";

export const ErrorBoundary = Sentry.ErrorBoundary as ComponentClass<boundary.ErrorBoundaryProps>;
export const withErrorBoundary = Sentry.withErrorBoundary as typeof boundary.withErrorBoundary;

export { captureUnderscoreErrorException } from "./server/captures.ts";
export { reportRequestError as captureRequestError } from "./server/request-errors.ts";

/** Those of `sentry.client.config` and of `sentry.server.config`. */
export type { ClientOptions, ServerOptions };
export const init: (options?: ClientOptions | ServerOptions) => ReturnType<typeof Sentry.init> =
  start.init as never;
