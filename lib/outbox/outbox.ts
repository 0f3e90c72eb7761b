/** Where a report was made. */
export type Origin = "browser" | "server";

/** A report as it lies in the outbox. */
export interface StoredReport {
  /** Grows with the order of arrival. */
  id: number;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  origin: Origin;
  /** One Sentry envelope: https://develop.sentry.dev/sdk/data-model/envelopes/ */
  envelope: Uint8Array;
}
