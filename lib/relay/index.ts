import { tunnelPath } from "@/lib/config/public";
import { runtimeConfig } from "@/lib/config/runtime.js";
import { BytesInHand } from "@/lib/http/body-memory";
import { log } from "@/lib/log";
import { outbox, serviceLimits } from "@/lib/outbox";
import { processWide } from "@/lib/process-wide.js";
import { openFrontDoor } from "@/lib/server/front-door";
import { Relay } from "./relay";

/** From now on envelopes need no detour through Next. */
export function startRelay(): void {
  openFrontDoor(tunnelPath, (request, response) => relay().handle(request, response));
}

/**
 * The process's one bound of the memory that bodies being read take, whatever they are sent to.
 *
 * @throws {import("@/lib/config/refusal.js").ConfigError}
 */
export function bytesInHand(): BytesInHand {
  return processWide("body-memory", () => new BytesInHand(runtimeConfig().relayMaxBytes));
}

/**
 * The process's one relay, as configured.
 *
 * @throws {import("@/lib/config/refusal.js").ConfigError}
 */
export function relay(): Relay {
  return processWide("relay", () => {
    const config = runtimeConfig();
    return new Relay({
      append: (envelope, origin, details) => outbox().append(envelope, origin, details),
      limits: serviceLimits(),
      maxBytes: config.relayMaxBytes,
      inHand: bytesInHand(),
      rate: config.relayRate,
      trustedProxies: config.trustedProxies,
      reportClientIp: config.reportClientIp,
      log,
    });
  });
}
