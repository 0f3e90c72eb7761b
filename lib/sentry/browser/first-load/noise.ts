import type { Thrown } from "./thrown";

const notice =
  /^(Script error\.?$|ResizeObserver loop|Can't find variable: gmo$|undefined is not an object \(evaluating 'a\.[A-Z]'\)$)/;

/** The rest of what the SDK's `eventFiltersIntegration` drops: most errors come before the SDK. */
const notices = [
  "Javascript error: Script error",
  "Cannot redefine property: googletag",
  'can\'t redefine non-configurable property "solana"',
  "vv().getRestrictions is not a function",
  "Can't find variable: _AutofillCallbackHandler",
  "Object Not Found Matching Id:",
  "Java exception was raised during method invocation",
  "Java object is gone",
];

const extension = /^[a-z-]+-extension:/;

/** The file of a stack's first line that has one. */
export const firstFile = /(?:^|[\s(@])([a-z-]+:\/\/\S+):\d+:\d+\)?$/m;

/** As Next's router words them: https://github.com/vercel/next.js/blob/v16.4.5/packages/next/src/shared/lib/router/router.ts */
const cancelledNavigation =
  /^(Route Cancelled|Cancel rendering route|Loading initial props cancelled|Abort fetching component for route)/;

/**
 * Whether an error that nobody caught says nothing about this app: it is thrown by a browser
 * extension or by a foreign script that the browser hides, it is a request or a navigation that was
 * cancelled, or it is a harmless notice of the browser.
 *
 * @param original what was thrown
 */
export function isNoise({ type, value, stack }: Thrown, original: unknown): boolean {
  return (
    isCancelled(original) ||
    type === "AbortError" ||
    notice.test(value) ||
    notices.some((words) => value.includes(words)) ||
    cancelledNavigation.test(value) ||
    extension.test(firstFile.exec(stack)?.[1] ?? "")
  );
}

/** Next's router marks the error of a navigation that another one replaced. */
function isCancelled(original: unknown): boolean {
  try {
    return (original as { cancelled?: unknown }).cancelled === true;
  } catch {
    // Anything may be thrown, even what can't be read.
    return false;
  }
}
