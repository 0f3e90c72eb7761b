import { fmt, getCurrentScope, type Scope } from "sentry-scopes";
import { bringSdk } from "../first-load/error-queue.ts";
import { type RunningSdk, sdk } from "../first-load/sdk-link.ts";
import { giveClient, scopesOfNow } from "./interim-client.ts";

type Logger = RunningSdk["logger"];
type Metrics = RunningSdk["metrics"];

/** Of the logs and metrics that wait for the SDK; later ones are dropped. */
const maxWaiting = 100;

let count = 0;

/**
 * Before the SDK is there, logs and metrics wait for it, with the scopes of their moment, and have it
 * loaded as a capture has. A page that is left before loses them.
 */
function send(
  hand: (running: RunningSdk, given?: { scope?: Scope }) => void,
  given?: { scope?: Scope },
): void {
  if (sdk.now) {
    giveClient(given?.scope ?? getCurrentScope());
    hand(sdk.now, given);
    return;
  }
  if (count++ >= maxWaiting) return;
  const scopes = scopesOfNow(given?.scope);
  sdk.on((running) =>
    running.inScopes(scopes, () => hand(running, { ...given, scope: undefined })),
  );
  bringSdk();
}

const logOf =
  (level: Exclude<keyof Logger, "fmt">): Logger["info"] =>
  (message, attributes, given) =>
    send((running, options) => running.logger[level](message, attributes, options), given);

export const logger: Logger = {
  trace: /* @__PURE__ */ logOf("trace"),
  debug: /* @__PURE__ */ logOf("debug"),
  info: /* @__PURE__ */ logOf("info"),
  warn: /* @__PURE__ */ logOf("warn"),
  error: /* @__PURE__ */ logOf("error"),
  fatal: /* @__PURE__ */ logOf("fatal"),
  fmt,
};

const metricOf =
  (type: keyof Metrics): Metrics["gauge"] =>
  (name, value, given) =>
    send((running, options) => running.metrics[type](name, value, options), given);

export const metrics: Metrics = {
  count: /* @__PURE__ */ metricOf("count") as Metrics["count"],
  gauge: /* @__PURE__ */ metricOf("gauge"),
  distribution: /* @__PURE__ */ metricOf("distribution"),
};
