import type { IncomingMessage } from "node:http";
import { isIP, isIPv4, type Server } from "node:net";
import proxyAddr from "proxy-addr";

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
  if (isIPv4(bare)) return bare;
  const groups = ipv6Groups(bare);
  if (!groups.slice(0, 6).every((group, i) => group === (i === 5 ? "ffff" : "0"))) return bare;
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** @param address a valid IPv6 address @returns its eight groups, without leading zeros */
function ipv6Groups(address: string): string[] {
  const compressed = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = "", tail] = compressed.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === undefined || tail === "" ? [] : tail.split(":");
  return [...front, ...Array<string>(8 - front.length - back.length).fill("0"), ...back];
}
