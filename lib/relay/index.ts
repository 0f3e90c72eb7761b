import { runtimeConfig } from "@/lib/config/runtime.js";
import { outbox, serviceLimits } from "@/lib/outbox";
import { Relay } from "./relay";

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
    });
    shared[key] = relay;
  }
  return relay;
}
