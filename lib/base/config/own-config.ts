import { checkEnvironment, singleton } from "@signpost/sentry/server";
import type { z } from "zod";
import { ownVariables } from "./own";

/**
 * The values of your own variables in this process, read as it starts.
 *
 * @throws {import("@signpost/sentry/server").ConfigError}
 */
export function ownConfig(): z.infer<typeof ownVariables> {
  return singleton("own config", () => checkEnvironment(ownVariables, process.env));
}
