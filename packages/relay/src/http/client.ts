import type { IncomingHttpHeaders } from "node:http";
import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

/** Who has sent a request, see `clientReader`. */
export interface Client {
  /** An IPv4 or IPv6 address. Undefined where the connection has ended. */
  address: string | undefined;
  /** Whether a trusted proxy forwarded the request: only then are `X-Forwarded-*` believed. */
  behindTrustedProxy: boolean;
}

/** What one rate limit counts: an IPv4 address, or a /64, the least that an IPv6 subscriber has. */
export function rateKey(address: string | undefined): string {
  return prefixOf(address, 4);
}

/**
 * Whose share of a store or of memory something takes: an IPv4 address, or a /48, of which a subscriber may
 * have every /64. Clients without an address have one share.
 */
export function shareKey(address: string | undefined): string {
  return prefixOf(address, 3);
}

/** @param groups of 16 bits that are taken of an IPv6 address, written without leading zeros */
function prefixOf(address: string | undefined, groups: number): string {
  if (address === undefined || isIPv4(address)) return address ?? "unknown";
  const parts = ipaddr.IPv6.parse(address).parts.slice(0, groups);
  return parts.map((part) => part.toString(16)).join(":");
}

interface Sender extends Pick<Client, "behindTrustedProxy"> {
  /**
   * Whether `Origin: null` is taken where no other header names another site. Over plain http browsers
   * send no `Sec-Fetch-Site`, and under `Referrer-Policy: no-referrer` they send a form of one's own page
   * like this. A sandboxed frame or a `data:` document of another site may send the same. So only for what
   * anybody may send by a program of their own, never for what a cookie opens.
   */
  takesOpaqueOrigin?: boolean;
}

/**
 * Whether a page of another site sent the request. A client that sends none of these headers is not a
 * browser and is allowed: it could send anything.
 * Source: https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header,
 * https://fetch.spec.whatwg.org/#append-a-request-origin-header
 */
export function isCrossSite(
  headers: IncomingHttpHeaders,
  { behindTrustedProxy, takesOpaqueOrigin = false }: Sender,
): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const { origin, referer } = headers;
  if (origin === undefined) return false;
  const sender = origin === "null" && takesOpaqueOrigin ? referer : origin;
  return sender !== undefined && !isOwn(sender, headers, behindTrustedProxy);
}

function isOwn(url: string, headers: IncomingHttpHeaders, behindTrustedProxy: boolean): boolean {
  const sender = URL.parse(url);
  if (!sender) return false;
  const ownHosts = [headers.host];
  // Each proxy appends to the list, so the first value is the one nearest to the client.
  const [forwarded] = String(headers["x-forwarded-host"] ?? "").split(",", 1);
  if (behindTrustedProxy) ownHosts.push(forwarded?.trim());
  // A URL has its host in lower case, and without the default port.
  return ownHosts.some(
    (own) => own && URL.parse(`${sender.protocol}//${own}`)?.host === sender.host,
  );
}
