import nextEnv from "@next/env";
import { readBuildConfig } from "../lib/base/config/build.ts";
import { runtimeConfig } from "../lib/base/config/runtime.ts";
import { sentryFaultsIn } from "../lib/build/sentry-imports.ts";
import { apiRoutes } from "../lib/site/routes/table.ts";
import { exitOnConfigError, prepareEnvironment, serve } from "./serving.ts";

/** Serves in development. */
async function dev() {
  const config = runtimeConfig();
  // Nothing need be built: in development, the configuration says the base path.
  const { basePath } = readBuildConfig(process.env, apiRoutes);
  // The build refuses them. Said now, before anybody looks for a report that does not come.
  for (const fault of sentryFaultsIn(".")) console.warn(`Warning: ${fault}`);
  // Next serves from a process of its own, whose environment is this one as Next read it first. It
  // must use the token that is printed here.
  process.env.INBOX_TOKEN = config.inboxToken;
  nextEnv.updateInitialEnv({ INBOX_TOKEN: config.inboxToken });
  await serve("dev", config, basePath);
}

prepareEnvironment("development");
await exitOnConfigError(dev);
