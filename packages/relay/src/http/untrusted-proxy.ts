import type { IncomingMessage } from "node:http";
import proxyAddr from "proxy-addr";
import type { Log } from "../log.ts";
import { peerOf } from "./client-address.ts";

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
