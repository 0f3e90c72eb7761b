import type { Integration } from "@sentry/core";
import type { LateIntegration } from "./late.ts";

/** The integration itself, where this stands for one whose code comes late. */
export function loaded(
  integration: Integration | LateIntegration,
): Integration | Promise<Integration | undefined> {
  return "load" in integration ? integration.load() : integration;
}
