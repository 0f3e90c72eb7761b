import { runtimeConfig } from "../../shared/environment/runtime.ts";
import { servedApp, servedPatterns } from "../../shared/environment/served-app.ts";
import { log } from "../../shared/log.ts";
import { patternOf } from "../../shared/routes/location.ts";
import { singleton } from "../../shared/singleton.ts";
import { rateNow, serviceLimits } from "../delivery/delivery-singleton.ts";
import { type NameOptions, privateNames } from "../envelope/private-names.ts";
import { bodyMemory } from "../http/body-memory.ts";
import { refusals } from "../http/refusals.ts";
import { outbox } from "../outbox/outbox-singleton.ts";
import { Releases } from "./releases.ts";
import { Tunnel } from "./tunnel.ts";

/** Which release each build is, as this process knows it. */
export function releases(): Releases {
  return singleton("releases", () => {
    const { build, release } = runtimeConfig();
    return new Releases({ build, release, driver: () => outbox().driver });
  });
}

/** What the options of `init` say of names, for reports that leave a browser without the SDK. */
export function setPrivateNames(options: NameOptions): void {
  Object.assign(names(), options);
}

function names(): NameOptions {
  return singleton("private names", () => ({}));
}

/**
 * The tunnel of this process, as configured.
 *
 * @throws {import("../../shared/environment/check-environment.ts").ConfigError}
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
        isPrivate: privateNames(names().allowedNames, names().privateNames),
        patternOf: (url) => patternOf({ ...servedApp(), patterns: servedPatterns() }, url),
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
