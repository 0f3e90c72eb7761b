import { tunnelPath } from "@/lib/config/public";
import { runtimeConfig } from "@/lib/config/runtime.js";
import { log } from "@/lib/http/log";
import { outbox, serviceLimits } from "@/lib/outbox";
import { openFrontDoor } from "./front-door";
import { Relay } from "./relay";

/** From now on envelopes need no detour through Next. */
export function startRelay(): void {
  openFrontDoor(tunnelPath, (request, response) => relay().handle(request, response));
}

const key = Symbol.for("signpost.relay");

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
      rate: config.relayRate,
      trustedProxies: config.trustedProxies,
      reportClientIp: config.reportClientIp,
      log,
    });
    shared[key] = relay;
  }
  return relay;
}
