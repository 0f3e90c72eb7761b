import { runtimeConfig } from "@/lib/config/runtime.js";
import { processWide } from "@/lib/process-wide.js";
import { BodyMemory } from "./body-memory";

/**
 * The memory that the bodies of this process may take, whichever address they are sent to.
 *
 * @throws {import("@/lib/config/check-environment.js").ConfigError}
 */
export function bodyMemory(): BodyMemory {
  return processWide("body-memory", () => new BodyMemory(runtimeConfig().relayMaxBytes));
}
