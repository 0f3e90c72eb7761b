import nextEnv from "@next/env";
import { ConfigError } from "../lib/config/refusal.js";

/**
 * Reads the `.env` files as Next does, before anything else looks at the environment; Next then
 * leaves it as it is.
 *
 * @param {"production" | "development"} mode
 */
export function prepareEnvironment(mode) {
  process.env.NEXT_TELEMETRY_DISABLED = "1";
  /** @type {Record<string, string | undefined>} */ (process.env).NODE_ENV = mode;
  nextEnv.loadEnvConfig(process.cwd(), mode === "development");
}

/**
 * Runs one of the commands. A configuration that can't be used ends it with the message alone.
 *
 * @param {() => unknown} command
 */
export async function orRefuse(command) {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
