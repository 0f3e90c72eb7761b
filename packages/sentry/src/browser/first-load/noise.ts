import { filesOf, type Thrown } from "./thrown.ts";

/**
 * The commonest of what Sentry's SDK drops by default: they would bring it. The rest of its list is not in
 * every page: the SDK drops it, and the tunnel, where it leaves without the SDK.
 * Source: https://github.com/getsentry/sentry-javascript/blob/11.5.0/packages/core/src/integrations/eventFilters.ts
 */
const ignoredBySdk = /^(Script error\.?$|ResizeObserver loop completed with)/;

/**
 * How browsers word the `AbortError` of a request that a script has cancelled. Others of that name tell
 * of something else, such as a write to IndexedDB that is lost.
 */
const cancelledRequest =
  /^(signal|The user|BodyStreamBuffer|The operation|Fetch) (is |was )?aborted/;

/** As Next's router words them: https://github.com/vercel/next.js/blob/v16.4.6/packages/next/src/shared/lib/router/router.ts */
const cancelledNavigation = /cancel|^Abort fetching component/i;

const extension = /^[a-z-]+-extension:/;

/**
 * Whether an error that nobody caught says nothing about this app: Sentry's SDK ignores it too, a
 * request or a navigation was cancelled, or no file but a browser extension's had a part in it.
 *
 * @param original what was thrown
 */
export function isNoise({ type, value, stack }: Thrown, original: unknown): boolean {
  const files = filesOf(stack);
  return (
    ignoredBySdk.test(value) ||
    (type === "AbortError" && cancelledRequest.test(value)) ||
    // Next's router marks the error of a navigation that another one replaced.
    (cancelledNavigation.test(value) &&
      (original as { cancelled?: unknown } | undefined)?.cancelled === true) ||
    (files.length > 0 && files.every((file) => extension.test(file)))
  );
}
