import { newId } from "./report-error.ts";

/** What a `<meta>` of the page says: the server gives them to pages that it renders for one visit alone. */
export const metaContent = (name: string) =>
  document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? "";

/**
 * The trace of the visit, as the header of this name has it: that of the server's request, or else a new
 * one, which nobody has decided on.
 */
export const sentryTrace = metaContent("sentry-trace") || newId();
export const [traceId = "", spanId, decision] = sentryTrace.split("-");

/** The place in the visit's trace of what leaves the browser without the SDK. */
export function traceContext() {
  return { trace_id: traceId, span_id: newId().slice(16), parent_span_id: spanId };
}
