import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP, isIPv4, type Server } from "node:net";
import ipaddr from "ipaddr.js";
import proxyAddr from "proxy-addr";
import type { Log } from "../log.ts";

export interface Client {
  /** An IPv4 or IPv6 address. Undefined where the connection has ended. */
  address: string | undefined;
  /** Whether a trusted proxy forwarded the request: only then are `X-Forwarded-*` believed. */
  behindTrustedProxy: boolean;
}

/** @param trusted addresses and ranges in the syntax of proxy-addr */
export function clientReader(trusted: readonly string[]): (request: IncomingMessage) => Client {
  const trust = proxyAddr.compile([...trusted]);
  return (request) => {
    const peer = peerOf(request);
    const behindTrustedProxy = peer !== undefined && trust(peer, 0);
    // The first is the peer, which proxy-addr does not know of a Unix socket.
    const isTrusted = (address: string, hop: number) => hop === 0 || trust(address, hop);
    const client = behindTrustedProxy ? proxyAddr(request, isTrusted) : peer;
    return { address: normalize(client) ?? normalize(peer), behindTrustedProxy };
  };
}

/**
 * The address of the other end of the connection: a proxy's, or the client's. That of a Unix socket is on
 * this machine.
 *
 * @returns undefined where the connection has ended
 */
export function peerOf({ socket }: IncomingMessage): string | undefined {
  return socket.remoteAddress ?? (isOfUnixSocket(socket) ? "127.0.0.1" : undefined);
}

/** `remoteAddress` is also missing of a connection that has ended. */
function isOfUnixSocket(socket: object): boolean {
  return "server" in socket && typeof (socket.server as Server | null)?.address() === "string";
}

/** What one rate limit counts: an IPv4 address, or a /64, the least that an IPv6 subscriber has. */
export function rateKey(address: string | undefined): string {
  if (address === undefined) return "unknown";
  return isIPv4(address) ? address : ipv6Groups(address).slice(0, 4).join(":");
}

/**
 * Whose share of a store a report takes: an IPv4 address, or a /48, of which a subscriber may have
 * every /64.
 */
export function senderKey(address: string | undefined): string | undefined {
  if (address === undefined || isIPv4(address)) return address;
  return ipv6Groups(address).slice(0, 3).join(":");
}

/** @returns the /48 of an IPv6 address; undefined for others, which are no larger than what `rateKey` counts */
export function networkKey(address: string | undefined): string | undefined {
  const key = senderKey(address);
  return key === rateKey(address) ? undefined : key;
}

/** As `senderKey`, for what all share while they are served: clients without an address have one share. */
export function shareKey(address: string | undefined): string {
  return senderKey(address) ?? "unknown";
}

/** Some proxies add the port, and write an IPv6 address in brackets. */
const withPort = /^\s*(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)\s*$/;

/** @returns the address without zone and port, as IPv4 if it is IPv4 mapped into IPv6 */
function normalize(address: string | undefined): string | undefined {
  const [, v6, v4] = withPort.exec(address ?? "") ?? [];
  const [bare = ""] = (v6 ?? v4 ?? address ?? "").trim().split("%", 1);
  if (isIP(bare) === 0) return undefined;
  const parsed = ipaddr.process(bare);
  return parsed instanceof ipaddr.IPv4 ? parsed.toString() : bare;
}

/** @param address a valid IPv6 address @returns its eight groups, without leading zeros */
function ipv6Groups(address: string): string[] {
  return ipaddr.IPv6.parse(address).parts.map((part) => part.toString(16));
}

/** Where proxies mostly are, by their names in proxy-addr. */
const near = ["loopback", "uniquelocal", "linklocal"] as const;

/**
 * Tells once where requests come by way of a proxy that is not trusted: all its visitors count as one
 * address then, with one rate. A client of the internet can send the header too, so the line says where
 * it came from.
 *
 * @param trusted addresses and ranges in the syntax of proxy-addr
 * @returns to be called with each request
 */
export function tellUntrustedProxy(trusted: readonly string[], write: Log) {
  const trust = proxyAddr.compile([...trusted]);
  const ranges = near.map((name) => ({ name, holds: proxyAddr.compile(name) }));
  const told = new Set<string>();
  return (request: IncomingMessage): void => {
    if (request.headers["x-forwarded-for"] === undefined || told.size > near.length) return;
    const peer = peerOf(request);
    if (peer === undefined || trust(peer, 0)) return;
    const range = ranges.find(({ holds }) => holds(peer, 0))?.name;
    const from = range ?? "another network";
    if (told.has(from)) return;
    told.add(from);
    const name = range ?? "its address";
    write("warn", "proxy not trusted", {
      from,
      advice: `X-Forwarded-For came from an address that is not trusted. If that is your proxy, all visitors share one rate: set TRUSTED_PROXIES=${name}, or \`trustedProxies\` of createRelay.`,
    });
  };
}

interface Options {
  /** Whether `X-Forwarded-Host` can be believed. */
  behindTrustedProxy: boolean;
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
  { behindTrustedProxy, takesOpaqueOrigin = false }: Options,
): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const { origin, referer } = headers;
  if (origin === undefined) return false;
  const sender = origin === "null" && takesOpaqueOrigin ? referer : origin;
  return sender !== undefined && !isOwn(sender, headers, behindTrustedProxy);
}

function isOwn(url: string, headers: IncomingHttpHeaders, behindTrustedProxy: boolean): boolean {
  if (!URL.canParse(url)) return false;
  const { host, protocol } = new URL(url);
  const ownHosts = [headers.host];
  if (behindTrustedProxy) ownHosts.push(firstValue(headers["x-forwarded-host"]));
  return ownHosts.some((own) => own !== undefined && normalizeHost(protocol, own) === host);
}

/** The host as a URL has it: lower case, without the default port. */
function normalizeHost(protocol: string, host: string): string | undefined {
  const url = `${protocol}//${host}`;
  return URL.canParse(url) ? new URL(url).host : undefined;
}

/** Each proxy appends to the list, so the first value is the one nearest to the client. */
function firstValue(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header[0] : header)?.split(",")[0]?.trim();
}

/** Compares two texts in a time that does not depend on where they differ. */
export function timingSafeEquals(given: string, secret: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", secret, "buffer"));
}
