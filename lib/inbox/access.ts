import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Name of the cookie that keeps the inbox open. */
export const cookieName = "signpost-inbox";

/** @returns whether both are the same, in a time that does not depend on where they differ */
export function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(sha256(given), sha256(secret));
}

/**
 * What the cookie holds instead of the token: who finds the cookie can't make the link with it, and
 * a new token shuts out every cookie made with the old one.
 */
export function cookieValue(token: string): string {
  return createHmac("sha256", token).update("signpost inbox").digest("base64url");
}

/** @param path the app's base path; empty for none */
export function cookieHeader(token: string, path: string, secure: boolean): string {
  const parts = [
    `${cookieName}=${cookieValue(token)}`,
    `Path=${path || "/"}`,
    "HttpOnly",
    "SameSite=Lax",
  ];
  return (secure ? [...parts, "Secure"] : parts).join("; ");
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
