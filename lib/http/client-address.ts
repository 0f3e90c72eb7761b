import type { IncomingMessage } from "node:http";
import { isIP, isIPv4 } from "node:net";
import proxyAddr from "proxy-addr";

export interface Client {
  /** An IPv4 or IPv6 address; nothing where there is none, on a Unix socket for one. */
  address: string | undefined;
  /** Whether the request came by a trusted proxy, whose `X-Forwarded-*` can be believed. */
  behindTrustedProxy: boolean;
}

/** @param trusted addresses and ranges as proxy-addr takes them */
export function clientReader(trusted: string[]): (request: IncomingMessage) => Client {
  const trust = proxyAddr.compile(trusted);
  return (request) => {
    const peer = request.socket.remoteAddress;
    const behindTrustedProxy = peer !== undefined && trust(peer, 0);
    const named = behindTrustedProxy ? proxyAddr(request, trust) : peer;
    return { address: clean(named) ?? clean(peer), behindTrustedProxy };
  };
}

/** What shares one rate: an IPv4 address, or the /64 that one IPv6 subscriber has at least. */
export function rateKey(address: string | undefined): string {
  if (address === undefined) return "unknown";
  return isIPv4(address) ? address : ipv6Groups(address).slice(0, 4).join(":");
}

/** As some proxies write an address: in brackets where it is IPv6, which has colons of its own. */
const withPort = /^\s*(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)\s*$/;

/** An address in its plain form: no zone, no port, IPv4 not wrapped in IPv6. */
function clean(address: string | undefined): string | undefined {
  const [, v6, v4] = withPort.exec(address ?? "") ?? [];
  const bare = (v6 ?? v4 ?? address ?? "").trim().replace(/%.*$/, "");
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
