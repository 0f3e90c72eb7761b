import { runtimeConfig } from "@/lib/config/runtime.js";
import { outbox } from "@/lib/outbox/process-outbox";
import { processWide } from "@/lib/process-wide.js";
import { bytesInHand } from "@/lib/relay";
import { urlOf } from "@/lib/routes/location";
import { FeedbackIntake, type IntakeOptions } from "./intake";

/**
 * The intake of feedback of this process, as configured.
 *
 * @param page makes the document that a refused plain form gets
 * @throws {import("@/lib/config/refusal.js").ConfigError}
 */
export function feedbackIntake(page: IntakeOptions["page"]): FeedbackIntake {
  return processWide("feedback", () => {
    const { trustedProxies, release, environment } = runtimeConfig();
    return new FeedbackIntake({
      append: (envelope, origin) => outbox().append(envelope, origin),
      inHand: bytesInHand(),
      trustedProxies,
      release,
      environment,
      page,
      thanks: (locale) => urlOf({ path: "/feedback#thanks", locale }),
    });
  });
}
