import { runtimeConfig } from "@/lib/config/runtime";
import { rateNow, serviceLimits } from "@/lib/delivery/delivery-singleton";
import { bodyMemory } from "@/lib/http/body-memory";
import { log } from "@/lib/log";
import { outbox } from "@/lib/outbox/outbox-singleton";
import { singleton } from "@/lib/singleton";
import { Tunnel } from "./tunnel";

/**
 * The tunnel of this process, as configured.
 *
 * @throws {import("@/lib/config/check-environment").ConfigError}
 */
export function tunnel(): Tunnel {
  return singleton("tunnel", () => {
    const config = runtimeConfig();
    return new Tunnel({
      append: (envelope, origin, details) => outbox().append(envelope, origin, details),
      limits: serviceLimits(),
      maxBytes: config.tunnelMaxBytes,
      memory: bodyMemory(),
      rate: config.tunnelRate,
      trustedProxies: config.trustedProxies,
      reporting: {
        ...config,
        get browserTracesSampleRate() {
          return rateNow(config.browserTracesSampleRate);
        },
      },
      reportClientIp: config.reportClientIp,
      log,
    });
  });
}
