import { runtimeConfig } from "@/lib/base/config/runtime";
import { log } from "@/lib/base/log";
import { singleton } from "@/lib/base/singleton";
import { rateNow, serviceLimits } from "@/lib/relay/delivery/delivery-singleton";
import { bodyMemory } from "@/lib/relay/http/body-memory";
import { refusals } from "@/lib/relay/http/refusals";
import { outbox } from "@/lib/relay/outbox/outbox-singleton";
import { Releases } from "./releases";
import { Tunnel } from "./tunnel";

/** Which release each build is, as this process knows it. */
export function releases(): Releases {
  return singleton("releases", () => {
    const { build, release } = runtimeConfig();
    return new Releases({ build, release, driver: () => outbox().driver });
  });
}

/**
 * The tunnel of this process, as configured.
 *
 * @throws {import("@/lib/base/config/check-environment").ConfigError}
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
      releaseOf: (build) => releases().ofPage(build),
      reportClientIp: config.reportClientIp,
      log,
      onRefused: (reason) => refusals().note("envelopes", reason),
    });
  });
}
