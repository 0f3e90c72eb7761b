import { runtimeConfig } from "@/lib/config/runtime";
import { bodyMemory } from "@/lib/http/body-memory";
import { log } from "@/lib/log";
import { outbox, rateNow, serviceLimits } from "@/lib/outbox/process-outbox";
import { processWide } from "@/lib/process-wide";
import { Relay } from "./relay";

/**
 * The relay of this process, as configured.
 *
 * @throws {import("@/lib/config/check-environment").ConfigError}
 */
export function relay(): Relay {
  return processWide("relay", () => {
    const config = runtimeConfig();
    return new Relay({
      append: (envelope, origin, details) => outbox().append(envelope, origin, details),
      limits: serviceLimits(),
      maxBytes: config.relayMaxBytes,
      memory: bodyMemory(),
      rate: config.relayRate,
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
