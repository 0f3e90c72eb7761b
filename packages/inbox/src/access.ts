import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import type { DestinationContext } from "@signpost/relay";
import { ClientLimit } from "@signpost/relay/http";
import { isOutboxError } from "@signpost/relay/store";
import { onlyValue, queryOf, withoutToken } from "./views/hrefs.ts";

export interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
  /** Path and query, without base path. */
  url: string;
}

/** A redirect is without base path. */
type Decided = "granted" | "denied" | { redirectTo: string };

const cookieName = "signpost-inbox";
/**
 * Twenty tries at once, ten a second in the long run. There is no limit of all together: by that, strangers
 * would shut out who has the token.
 */
const tries = { max: 20, networkMax: 25, windowSeconds: 2 };
const maxTryWaitMs = 5_000;

interface AccessOptions extends Pick<DestinationContext, "clientOf" | "secret" | "path"> {
  token: string;
}

/** Who may see the inbox. The right token gets a cookie and a redirect without it, all others need the cookie. */
export class Access {
  readonly #options: AccessOptions;
  readonly #tries = new ClientLimit(tries);

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  /**
   * Decides about a request, and sets the headers of its response.
   *
   * @throws {import("@signpost/relay/store").OutboxError} to who has the token, if the store can't be read
   */
  async check(asked: Asked): Promise<Decided> {
    const { request, response, url } = asked;
    response.setHeader("Cache-Control", "private, no-store");
    response.setHeader("X-Robots-Tag", "noindex");
    const query = queryOf(url);
    if (query.has("token")) return this.#checkToken(onlyValue(query, "token") ?? "", asked);
    const given = cookieIn(request.headers.cookie);
    return given !== undefined && (await this.#isOurs(given)) ? "granted" : "denied";
  }

  async #checkToken(given: string, { request, response, url }: Asked): Promise<Decided> {
    const { token, path, clientOf, secret } = this.#options;
    if (!(await this.mayTryToken(clientOf(request).address))) return "denied";
    if (!isSame(given, token)) return "denied";
    const value = cookieValue(token, await secret());
    response.appendHeader("Set-Cookie", cookieHeader(value, path, isSecure(request)));
    return { redirectTo: withoutToken(url) };
  }

  /**
   * Slows down the guessing of tokens, for each address and network. Wrong ones may delay the right one of their
   * own address or network. Who has the cookie guesses nothing, and is never delayed.
   *
   * @returns when the token may be checked; false if that would take more than five seconds
   */
  async mayTryToken(address: string | undefined): Promise<boolean> {
    const deadline = performance.now() + maxTryWaitMs;
    for (;;) {
      const exceeded = this.#tries.take(address);
      if (!exceeded) return true;
      const waitMs = exceeded.seconds * 1000;
      if (performance.now() + waitMs > deadline) return false;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  /** Nobody's cookie is, where this process has not been able to read the store since it started. */
  async #isOurs(given: string): Promise<boolean> {
    const { token, secret } = this.#options;
    try {
      return isSame(given, cookieValue(token, await secret()));
    } catch (error) {
      // The outbox logs why.
      if (isOutboxError(error)) return false;
      throw error;
    }
  }
}

/** Compares two texts in a time that does not depend on where they differ. */
function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", secret, "buffer"));
}

/**
 * Whether the request came over https, to this server or to a proxy. Of a proxy that is not trusted, too: whoever
 * makes the header up only keeps his own cookie from plain http.
 */
function isSecure({ socket, headers }: IncomingMessage): boolean {
  const forwarded = String(headers["x-forwarded-proto"]).split(",")[0]?.trim();
  return (socket as TLSSocket).encrypted === true || forwarded === "https";
}

/**
 * @param header `Cookie` of a request
 * @returns the first value of that name, as browsers send the nearest first
 */
function cookieIn(header = ""): string | undefined {
  const start = `${cookieName}=`;
  const found = header.split(";").find((part) => part.trimStart().startsWith(start));
  return found?.trim().slice(start.length);
}

/**
 * The value of the cookie: it outlives a restart, opens every server of the store, and ends with the token. It
 * needs the store's secret: so nobody can find out by cookies whether a guess of the token is right, nor find
 * the token by a cookie.
 */
export function cookieValue(token: string, secret: Buffer): string {
  return createHmac("sha256", secret).update(`inbox ${token}`).digest("base64url");
}

/** @param path of the inbox, base path included: no other request of the app carries it */
export function cookieHeader(value: string, path: string, secure: boolean): string {
  const parts = [`${cookieName}=${value}`, `Path=${path}`, "HttpOnly", "SameSite=Lax"];
  return (secure ? [...parts, "Secure"] : parts).join("; ");
}
