/** The parts of an event that tell noise from news; any Sentry event fits. */
interface Reported {
  exception?: {
    values?: {
      type?: string;
      value?: string;
      stacktrace?: { frames?: { filename?: string }[] };
    }[];
  };
}

const extension = /^(chrome|moz|safari-web|safari|ms-browser)-extension:\/\//;

/** As Next's router words them: https://github.com/vercel/next.js/blob/v16.4.5/packages/next/src/shared/lib/router/router.ts */
const cancelledNavigation =
  /^(Route Cancelled|Cancel rendering route|Loading initial props cancelled|Abort fetching component for route)/;

/**
 * Whether a browser's report says nothing about this app: another's code that runs in the page, a
 * request or a navigation that was given up on purpose, a browser's own harmless notice.
 *
 * @param event as `beforeSend` gets it
 * @param original the thing that was thrown, where it is known
 */
export function isNoise(event: Reported, original?: unknown): boolean {
  if (isCancelled(original)) return true;
  const thrown = event.exception?.values?.at(-1);
  if (!thrown) return false;
  const { type = "", value = "" } = thrown;
  const place = thrown.stacktrace?.frames?.findLast((frame) => frame.filename)?.filename ?? "";
  return (
    type === "AbortError" ||
    value.startsWith("ResizeObserver loop") ||
    cancelledNavigation.test(value) ||
    extension.test(place)
  );
}

/** Next's router marks the error of a navigation that another one took over. */
function isCancelled(original: unknown): boolean {
  return (
    typeof original === "object" &&
    original !== null &&
    "cancelled" in original &&
    original.cancelled === true
  );
}
