import { createHash, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** Name of the cookie that keeps the inbox open. */
export const cookieName = "signpost-inbox";

const derive = promisify<string, string, number, Buffer>(scrypt);
const derived = new Map<string, Promise<string>>();

/** @returns whether both are the same, in a time that does not depend on where they differ */
export function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(sha256(given), sha256(secret));
}

/**
 * What the cookie holds instead of the token: who finds the cookie can't make the link with it, and
 * a new token shuts out every cookie made with the old one. Slow to make, once for each process, so
 * that it is no faster way to try tokens than the link is.
 */
export function cookieValue(token: string): Promise<string> {
  let value = derived.get(token);
  if (!value) {
    value = derive(token, "signpost inbox", 32).then((bytes) => bytes.toString("base64url"));
    derived.set(token, value);
  }
  return value;
}

/**
 * @param value of the cookie
 * @param path the app's base path; empty for none
 */
export function cookieHeader(value: string, path: string, secure: boolean): string {
  const parts = [`${cookieName}=${value}`, `Path=${path || "/"}`, "HttpOnly", "SameSite=Lax"];
  return (secure ? [...parts, "Secure"] : parts).join("; ");
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
