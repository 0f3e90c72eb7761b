import nextEnv from "@next/env";
import { sentryFaultsIn } from "../lib/build/sentry-imports.ts";
import { readBuildConfig } from "../lib/config/build.ts";
import { runtimeConfig } from "../lib/config/runtime.ts";
import { apiRoutes } from "../lib/routes/table.ts";
import { announcement } from "./announcement.ts";
import { exitOnConfigError, prepareEnvironment } from "./environment.ts";
import { answeringUrl, checkAddress, nextCommand, readAddress } from "./listen-address.ts";

/** Serves in development, and prints the addresses once the server responds. */
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
  const args = process.argv.slice(2);
  const address = readAddress(process.env, args);
  await checkAddress(address);
  process.argv = nextCommand("dev", args, address);
  await import("next/dist/bin/next");
  // The system chooses the port of 0, and only Next's own process knows which.
  if (address.port > 0) console.log(announcement(await answeringUrl(address, basePath), config));
}

prepareEnvironment("development");
await exitOnConfigError(dev);
