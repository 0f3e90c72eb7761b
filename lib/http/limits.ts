/** What the relay bears, beside RELAY_MAX_BYTES and RELAY_RATE. */
export const maxItems = 100;
/** Bytes in one header line. */
export const maxHeaderLine = 16 * 1024;
/** A body must be there in full within this time. */
export const bodyMs = 20_000;
/** Of a body that is not whole yet, so much must come in each of these spans. */
export const bodySpanMs = 5_000;
export const leastBytesPerSecond = 1024;
/** Bytes that all bodies being read or unpacked may hold together, or eight envelopes' worth. */
export const maxBytesInHand = 64 * 1024 * 1024;
export const leastEnvelopesInHand = 8;
/** One address's bodies being read may hold this part of it: one envelope at least. */
export const addressShare = 1 / 8;
/** Addresses that have a rate of their own; further ones share one. */
export const maxAddresses = 20_000;
export const rateWindowSeconds = 60;

/**
 * Envelopes a minute from all addresses together: what two hundred busy ones may send, and never
 * less than a thousand a second, which one process can keep.
 *
 * @param perAddress RELAY_RATE
 */
export function rateOfAll(perAddress: number): number {
  return Math.max(200 * perAddress, 60_000);
}

/** What a refused client may still send, so that it comes to read the answer. */
export const lingerBytes = 32 * 1024 * 1024;
export const lingerMs = 2_000;
/** When to try again what couldn't be kept. */
export const retryAfterSeconds = 10;
/** A refused body up to this size is read to its end, to keep the connection. */
export const smallBody = 64 * 1024;
