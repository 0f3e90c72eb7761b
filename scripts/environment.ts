import nextEnv from "@next/env";
import { ConfigError } from "../lib/config/check-environment.ts";

/**
 * Reads the `.env` files as Next does, before any other code reads the environment. Next then leaves
 * it as it is.
 */
export function prepareEnvironment(mode: "production" | "development") {
  process.env.NEXT_TELEMETRY_DISABLED = "1";
  (process.env as Record<string, string | undefined>).NODE_ENV = mode;
  nextEnv.loadEnvConfig(process.cwd(), mode === "development");
}

/** Runs a command. If the configuration can't be used, prints only the message and exits. */
export async function exitOnConfigError(command: () => unknown) {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
