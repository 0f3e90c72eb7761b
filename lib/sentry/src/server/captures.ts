import type { NextPageContext } from "next";
import { referenceOnErrorPage } from "./references.ts";
import { reportStored } from "./reports-under-way.ts";

/**
 * For `_error.getInitialProps`. The error has mostly been reported before, when the request failed.
 *
 * @returns the id of its event, 32 hex digits, once the report is stored; nothing for the page of an
 *   address that does not exist
 */
export async function captureUnderscoreErrorException({
  err,
  res,
}: Pick<NextPageContext, "err" | "res">): Promise<string | undefined> {
  if (res && res.statusCode < 500) return undefined;
  const reference = referenceOnErrorPage(err);
  await reportStored(reference);
  return reference;
}

/** Does nothing: a page's error boundaries catch nothing on the server. */
export function captureReactException(_error: unknown): string {
  return "";
}

/** Does nothing: it is for the browser's router. */
export function captureFailedNavigation(_error: unknown): void {}

/** Does nothing: it is for the browser's router. */
export function captureRouterTransitionStart(): void {}
