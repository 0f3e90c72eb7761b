import {
  bodyMemory,
  outbox,
  refusals,
  releases,
  runtimeConfig,
  singleton,
} from "@signpost/sentry/server";
import { FeedbackIntake, type IntakeOptions } from "./intake";

/**
 * The feedback intake of this process, as configured.
 *
 * @param answers what a plain form is answered with
 * @throws {import("@signpost/sentry/server").ConfigError}
 */
export function feedbackIntake(answers: Pick<IntakeOptions, "page" | "thanks">): FeedbackIntake {
  return singleton("feedback", () => {
    const { trustedProxies, environment } = runtimeConfig();
    return new FeedbackIntake({
      append: (envelope, origin, details) => outbox().append(envelope, origin, details),
      memory: bodyMemory(),
      trustedProxies,
      releaseOf: (build) => releases().ofPage(build),
      environment,
      // A field that a visitor has to correct is no news.
      onRefused: (reason) => reason !== "invalid" && refusals().note("feedback", reason),
      ...answers,
    });
  });
}
