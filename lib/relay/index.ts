import { tunnelPath } from "@/lib/config/public";
import { runtimeConfig } from "@/lib/config/runtime.js";
import { log } from "@/lib/http/log";
import { outbox, serviceLimits } from "@/lib/outbox";
import { BytesInHand } from "./bytes-in-hand";
import { openFrontDoor } from "./front-door";
import { Relay } from "./relay";

/** From now on envelopes need no detour through Next. */
export function startRelay(): void {
  openFrontDoor(tunnelPath, (request, response) => relay().handle(request, response));
}

const key = Symbol.for("signpost.relay");
const inHandKey = Symbol.for("signpost.bytes-in-hand");

/**
 * The process's one bound of the memory that bodies being read take, whatever they are sent to.
 *
 * @throws {import("@/lib/config/refusal.js").ConfigError}
 */
export function bytesInHand(): BytesInHand {
  const shared = globalThis as unknown as Record<symbol, BytesInHand | undefined>;
  shared[inHandKey] ??= new BytesInHand(runtimeConfig().relayMaxBytes);
  return shared[inHandKey];
}

/**
 * The process's one relay, as configured.
 *
 * @throws {import("@/lib/config/refusal.js").ConfigError}
 */
export function relay(): Relay {
  const shared = globalThis as unknown as Record<symbol, Relay | undefined>;
  let relay = shared[key];
  if (!relay) {
    const config = runtimeConfig();
    relay = new Relay({
      append: (envelope, origin, details) => outbox().append(envelope, origin, details),
      service: config.dsn,
      limits: serviceLimits(),
      maxBytes: config.relayMaxBytes,
      inHand: bytesInHand(),
      rate: config.relayRate,
      trustedProxies: config.trustedProxies,
      reportClientIp: config.reportClientIp,
      log,
    });
    shared[key] = relay;
  }
  return relay;
}
