import { runtimeConfig } from "@/lib/config/runtime";
import { bodyMemory } from "@/lib/http/body-memory";
import { outbox } from "@/lib/outbox/outbox-singleton";
import { urlOf } from "@/lib/routes/location";
import { singleton } from "@/lib/singleton";
import { FeedbackIntake, type IntakeOptions } from "./intake";

/**
 * The feedback intake of this process, as configured.
 *
 * @param page renders the document for a plain form that is refused
 * @throws {import("@/lib/config/check-environment").ConfigError}
 */
export function feedbackIntake(page: IntakeOptions["page"]): FeedbackIntake {
  return singleton("feedback", () => {
    const { trustedProxies, release, environment } = runtimeConfig();
    return new FeedbackIntake({
      append: (envelope, origin, details) => outbox().append(envelope, origin, details),
      memory: bodyMemory(),
      trustedProxies,
      release,
      environment,
      page,
      thanks: (locale) => urlOf({ path: "/feedback#thanks", locale }),
    });
  });
}
