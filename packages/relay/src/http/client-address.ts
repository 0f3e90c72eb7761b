import type { IncomingMessage } from "node:http";
import { isIP, isIPv4, type Server } from "node:net";
import ipaddr from "ipaddr.js";
import proxyAddr from "proxy-addr";
import type { Client } from "./client.ts";

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

/** Some proxies add the port, and write an IPv6 address in brackets. */
const withPort = /^\s*(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)\s*$/;

/** @returns the address without zone and port, as IPv4 if it is IPv4 mapped into IPv6 */
function normalize(address: string | undefined): string | undefined {
  const [, v6, v4] = withPort.exec(address ?? "") ?? [];
  const [bare = ""] = (v6 ?? v4 ?? address ?? "").trim().split("%", 1);
  if (isIPv4(bare)) return bare;
  if (isIP(bare) === 0) return undefined;
  const parsed = ipaddr.process(bare);
  return parsed instanceof ipaddr.IPv4 ? parsed.toString() : bare;
}
