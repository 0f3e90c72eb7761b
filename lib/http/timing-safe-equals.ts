import { createHash, timingSafeEqual } from "node:crypto";

/** Compares two texts in a time that does not depend on where they differ. */
export function timingSafeEquals(given: string, secret: string): boolean {
  return timingSafeEqual(sha256(given), sha256(secret));
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
