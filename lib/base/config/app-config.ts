import { singleton } from "@signpost/sentry/server";
import { type AppConfig, readAppConfig } from "./app";

/**
 * The configuration of this process, read at first use.
 *
 * @throws {import("@signpost/sentry/server").ConfigError}
 */
export function appConfig(): AppConfig {
  return singleton("app config", () => readAppConfig(process.env));
}
