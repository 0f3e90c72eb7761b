import type { captureException } from "@sentry/core";
import type { NextPageContext } from "next";
import type { ErrorInfo } from "react";
import { queueError } from "./error-queue.ts";
import { failedRoute, navigationFailure } from "./error-route.ts";
import { isNoise } from "./noise.ts";
import { thrownOf } from "./thrown.ts";

/*
 * What an app's own error page, error boundary and router call. Every page carries these, so they need
 * neither Sentry's scopes nor the SDK.
 */

/**
 * For `_error.getInitialProps`.
 *
 * @returns the id of the event, 32 hex digits; nothing for the page of an address that does not exist
 */
export async function captureUnderscoreErrorException({
  err,
}: Pick<NextPageContext, "err" | "res">): Promise<string | undefined> {
  return err ? queueNavigation(err) : undefined;
}

/**
 * For `componentDidCatch` of an error boundary: its error, and what React tells of the place.
 *
 * @param hint as of `captureException`
 * @returns the id of the event, 32 hex digits
 */
export function captureReactException(
  error: unknown,
  info?: Partial<ErrorInfo>,
  hint?: Parameters<typeof captureException>[1],
): string {
  return queueError(error, undefined, { hint, info });
}

/** For code that mends a failed navigation by a full page load: call it before the page is left. */
export function captureFailedNavigation(error: unknown): void {
  const failure = navigationFailure(error);
  if (failure && !isNoise(thrownOf(failure), failure)) queueNavigation(failure);
}

function queueNavigation(error: unknown): string {
  const mechanism = { type: "signpost.navigation", handled: false };
  return queueError(error, mechanism, { route: failedRoute() });
}
