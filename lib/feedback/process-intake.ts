import { runtimeConfig } from "@/lib/config/runtime";
import { bodyMemory } from "@/lib/http/body-memory";
import { outbox } from "@/lib/outbox/process-outbox";
import { processWide } from "@/lib/process-wide";
import { urlOf } from "@/lib/routes/location";
import { FeedbackIntake, type IntakeOptions } from "./intake";

/**
 * The feedback intake of this process, as configured.
 *
 * @param page renders the document for a plain form that is refused
 * @throws {import("@/lib/config/check-environment").ConfigError}
 */
export function feedbackIntake(page: IntakeOptions["page"]): FeedbackIntake {
  return processWide("feedback", () => {
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
