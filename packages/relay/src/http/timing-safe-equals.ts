import { hash, timingSafeEqual } from "node:crypto";

/** Compares two texts in a time that does not depend on where they differ. */
export function timingSafeEquals(given: string, secret: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", secret, "buffer"));
}
