import { runtimeConfig } from "@/lib/config/runtime";
import { processWide } from "@/lib/process-wide";
import { BodyMemory } from "./body-memory";

/**
 * The memory that the bodies of this process may take, whichever address they are sent to.
 *
 * @throws {import("@/lib/config/check-environment").ConfigError}
 */
export function bodyMemory(): BodyMemory {
  return processWide("body-memory", () => new BodyMemory(runtimeConfig().relayMaxBytes));
}
