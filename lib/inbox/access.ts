import { createHmac } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  ClientLimit,
  clientReader,
  isOutboxError,
  outbox,
  runtimeConfig,
  singleton,
  timingSafeEquals,
} from "@signpost/sentry/server";
import { inboxConfig as appConfig } from "@/lib/config";
import { basePath } from "@/lib/navigation/location";
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
/**
 * Twenty tries at once, ten a second in the long run. There is no limit of all together: by that, strangers
 * would shut out who has the token.
 */
const tries = { max: 20, networkMax: 25, windowSeconds: 2 };
const maxTryWaitMs = 5_000;

/**
 * Decides who may see the inbox, and sets the response's headers for it. The right token gets a cookie
 * and a redirect to the URL without it. Everyone else needs the cookie.
 *
 * @throws {import("@signpost/sentry/server").OutboxError} to who has the token, if the store can't be read
 */
export async function checkAccess(asked: InboxRequest): Promise<Access> {
  const { response, cookies, url } = asked;
  response.setHeader("Cache-Control", "private, no-store");
  response.setHeader("X-Robots-Tag", "noindex");
  if (runtimeConfig().dsn) return "not-found";
  const query = queryOf(url);
  if (query.has("token")) return checkToken(onlyValue(query, "token") ?? "", asked);
  const given = cookies[cookieName];
  return given !== undefined && (await isOurs(given)) ? "granted" : "not-found";
}

async function checkToken(
  token: string,
  { request, response, url }: InboxRequest,
): Promise<Access> {
  const { inboxToken } = appConfig();
  const { address } = clientReader(runtimeConfig().trustedProxies)(request);
  if (!(await mayTryToken(address))) return "not-found";
  if (!timingSafeEquals(token, inboxToken)) return "not-found";
  const secure = String(request.headers["x-forwarded-proto"]).split(",")[0]?.trim() === "https";
  const value = cookieValue(inboxToken, await outbox().secret.read());
  response.appendHeader("Set-Cookie", cookieHeader(value, basePath, secure));
  return { redirectTo: withoutToken(url) };
}

/**
 * Slows down the guessing of tokens, for each address and network. Wrong ones may delay the right one of their
 * own address or network. Who has the cookie guesses nothing, and is never delayed.
 *
 * @returns when the token may be checked; false if that would take more than five seconds
 */
export function mayTryToken(address: string | undefined): Promise<boolean> {
  const limit = singleton("inbox-token-tries", () => new ClientLimit(tries));
  return limit.takeOrWait(address, maxTryWaitMs);
}

/** Nobody's cookie is, where this process has not been able to read the store since it started. */
async function isOurs(given: string): Promise<boolean> {
  try {
    const secret = await outbox().secret.read();
    return timingSafeEquals(given, cookieValue(appConfig().inboxToken, secret));
  } catch (error) {
    // The outbox logs why.
    if (isOutboxError(error)) return false;
    throw error;
  }
}

/**
 * The value of the cookie: it outlives a restart, opens every server of the store, and ends with the token. It
 * needs the store's secret: so nobody can find out by cookies whether a guess of the token is right, nor find
 * the token by a cookie.
 */
export function cookieValue(token: string, secret: Buffer): string {
  return createHmac("sha256", secret).update(`inbox ${token}`).digest("base64url");
}

/** @param path the app's base path; empty for none */
export function cookieHeader(value: string, path: string, secure: boolean): string {
  const parts = [`${cookieName}=${value}`, `Path=${path || "/"}`, "HttpOnly", "SameSite=Lax"];
  return (secure ? [...parts, "Secure"] : parts).join("; ");
}
