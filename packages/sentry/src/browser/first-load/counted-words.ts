import type { Event as SentryEvent } from "@sentry/core";

/** The words by which an event is counted, before the SDK and with it: see `isTooMany`. */
export function countedWords({ exception, message, logentry, contexts }: SentryEvent) {
  const { type = "Error", value } = exception?.values?.slice(-1)[0] ?? {};
  if (exception) return { type, value };
  const words = message ?? logentry?.message ?? contexts?.feedback?.message;
  return { value: words as string | undefined };
}
