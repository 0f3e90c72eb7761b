import { fmt, type Scope } from "sentry-scopes";
import { onQueued } from "../first-load/error-queue.ts";
import { onSdk, type RunningSdk, sdk } from "../first-load/sdk-link.ts";
import { scopesOfNow } from "./interim-client.ts";

type Logger = RunningSdk["logger"];
type Metrics = RunningSdk["metrics"];

/** Of the logs and metrics that wait for the SDK; later ones are dropped. */
const maxWaiting = 100;

let count = 0;

/**
 * Before the SDK is there, logs and metrics wait for it, with the scopes of their moment, and have it
 * loaded as a capture has. A page that is left before loses them.
 */
function send(hand: (running: RunningSdk) => void, scope?: Scope): void {
  if (!sdk && count++ >= maxWaiting) return;
  const scopes = scopesOfNow(scope);
  onSdk((running) => running.inScopes(scopes, () => hand(running)));
  if (!sdk) onQueued();
}

const logOf =
  (level: Exclude<keyof Logger, "fmt">): Logger["info"] =>
  (message, attributes, { scope } = {}) =>
    send((running) => running.logger[level](message, attributes), scope);

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
  (name, value, { scope, ...rest } = {}) =>
    send((running) => running.metrics[type](name, value, rest), scope);

export const metrics: Metrics = {
  count: /* @__PURE__ */ metricOf("count") as Metrics["count"],
  gauge: /* @__PURE__ */ metricOf("gauge"),
  distribution: /* @__PURE__ */ metricOf("distribution"),
};
