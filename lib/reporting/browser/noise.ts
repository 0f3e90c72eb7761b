/** The parts of an error event that this file reads. */
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
 * Whether an error says nothing about this app: it is thrown by a browser extension, it is a request
 * or a navigation that was cancelled, or it is a harmless notice of the browser. The SDK's
 * `eventFiltersIntegration` knows none of these.
 *
 * @param event as `beforeSend` gets it
 * @param original what was thrown, if it is known
 */
export function isNoise(event: Reported, original?: unknown): boolean {
  if (isCancelled(original)) return true;
  const thrown = event.exception?.values?.at(-1);
  if (!thrown) return false;
  const { type = "", value = "" } = thrown;
  const file = thrown.stacktrace?.frames?.findLast((frame) => frame.filename)?.filename ?? "";
  return (
    type === "AbortError" ||
    // An AbortError that is a DOMException, as the SDK words it.
    value.startsWith("AbortError: ") ||
    value.startsWith("ResizeObserver loop") ||
    cancelledNavigation.test(value) ||
    extension.test(file)
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
