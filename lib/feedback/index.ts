import { runtimeConfig } from "@/lib/config/runtime.js";
import { outbox } from "@/lib/outbox";
import { bytesInHand } from "@/lib/relay";
import { urlOf } from "@/lib/routes/location";
import { FeedbackIntake, type IntakeOptions } from "./intake";

const key = Symbol.for("signpost.feedback");

/**
 * The process's one intake of feedback, as configured.
 *
 * @param page makes the document that a refused plain form gets
 * @throws {import("@/lib/config/refusal.js").ConfigError}
 */
export function feedbackIntake(page: IntakeOptions["page"]): FeedbackIntake {
  const shared = globalThis as unknown as Record<symbol, FeedbackIntake | undefined>;
  let intake = shared[key];
  if (!intake) {
    const { trustedProxies, release, environment } = runtimeConfig();
    intake = new FeedbackIntake({
      append: (envelope, origin) => outbox().append(envelope, origin),
      inHand: bytesInHand(),
      trustedProxies,
      release,
      environment,
      page,
      thanks: (locale) => urlOf({ path: "/feedback#thanks", locale }),
    });
    shared[key] = intake;
  }
  return intake;
}
