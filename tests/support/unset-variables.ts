import { appVariables, neededExamples } from "../../lib/config.ts";
import { proxyVariables } from "../../packages/sentry/src/shared/environment/outgoing-proxy.ts";
import { variables } from "../../packages/sentry/src/shared/environment/runtime.ts";

/**
 * Every variable of the configuration, empty, or its example where it must be set: neither the shell nor a
 * `.env` file has a say.
 */
export const unsetVariables: Record<string, string> = {
  ...Object.fromEntries(
    [...variables, ...appVariables, ...proxyVariables, "PORT", "NODE_ENV"].map((name) => [
      name,
      "",
    ]),
  ),
  ...neededExamples(),
};
