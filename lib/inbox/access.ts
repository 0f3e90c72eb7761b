import { scrypt } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import {
  clientReader,
  RateLimit,
  rateKey,
  runtimeConfig,
  singleton,
  timingSafeEquals,
} from "@signpost/sentry/server";
import { appConfig } from "@/lib/base/config/app-config";
import { basePath } from "@/lib/base/config/public";
import { onlyValue, queryOf, withoutToken } from "./views/hrefs";

export interface InboxRequest {
  request: IncomingMessage;
  response: ServerResponse;
  cookies: Partial<Record<string, string>>;
  /** Path and query, without base path and locale. */
  url: string;
}

/** A redirect is without base path and locale. */
type Access = "granted" | "not-found" | { redirectTo: string };

const cookieName = "signpost-inbox";
/** Twenty tries at once, ten a second in the long run. */
const tries = { max: 20, windowSeconds: 2 };
const maxTryWaitMs = 5_000;

/**
 * Decides who may see the inbox, and sets the response's headers for it. The right token gets a cookie
 * and a redirect to the URL without it. Everyone else needs the cookie.
 */
export async function checkAccess(asked: InboxRequest): Promise<Access> {
  const { response, cookies, url } = asked;
  response.setHeader("Cache-Control", "private, no-store");
  response.setHeader("X-Robots-Tag", "noindex");
  if (runtimeConfig().dsn) return "not-found";
  const query = queryOf(url);
  if (query.has("token")) return checkToken(onlyValue(query, "token") ?? "", asked);
  const expected = await cookieValue(appConfig().inboxToken);
  return timingSafeEquals(cookies[cookieName] ?? "", expected) ? "granted" : "not-found";
}

async function checkToken(
  token: string,
  { request, response, url }: InboxRequest,
): Promise<Access> {
  const { inboxToken } = appConfig();
  const address = rateKey(clientReader(runtimeConfig().trustedProxies)(request).address);
  if (!(await mayTryToken(address))) return "not-found";
  if (!timingSafeEquals(token, inboxToken)) return "not-found";
  const secure = String(request.headers["x-forwarded-proto"]).split(",")[0]?.trim() === "https";
  const cookie = cookieHeader(await cookieValue(inboxToken), basePath, secure);
  response.appendHeader("Set-Cookie", cookie);
  return { redirectTo: withoutToken(url) };
}

/**
 * Slows down the guessing of tokens, for each address separately. Wrong ones may delay the right one, but
 * not shut it out.
 *
 * @param address see `rateKey`
 * @returns when the token may be checked; false if that would take more than five seconds
 */
export function mayTryToken(address: string): Promise<boolean> {
  const limit = singleton("inbox-token-tries", () => new RateLimit(tries));
  return limit.takeOrWait(address, maxTryWaitMs);
}

const derive = promisify<string, string, number, Buffer>(scrypt);
const derived = new Map<string, Promise<string>>();

/**
 * The value of the cookie: derived from the token, so that a leaked cookie does not reveal that, and a
 * new token invalidates all. It is slow against guessing; each process does it once.
 */
export function cookieValue(token: string): Promise<string> {
  let value = derived.get(token);
  if (!value) {
    value = derive(token, "signpost inbox", 32).then((bytes) => bytes.toString("base64url"));
    derived.set(token, value);
  }
  return value;
}

/** @param path the app's base path; empty for none */
export function cookieHeader(value: string, path: string, secure: boolean): string {
  const parts = [`${cookieName}=${value}`, `Path=${path || "/"}`, "HttpOnly", "SameSite=Lax"];
  return (secure ? [...parts, "Secure"] : parts).join("; ");
}
