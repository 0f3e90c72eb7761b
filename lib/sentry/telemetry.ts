import { fmt, type Log, type Metric, type Scope } from "sentry-scopes";
import { onQueued, type Scopes } from "@/lib/sentry/browser/first-load/report-error";
import { onSdk, type RunningSdk, sdk } from "@/lib/sentry/browser/first-load/sdk-link";
import { scopesOfNow } from "./interim-client";

/** Of the logs and metrics that wait for the SDK; later ones are dropped. */
const maxWaiting = 100;

let count = 0;

/**
 * Before the SDK is there, logs and metrics wait for it, with scopes and time of their moment, and have
 * it loaded as a capture has. A page that is left before loses them.
 *
 * @param hand `at` is in seconds since the epoch
 */
function send(
  hand: (running: RunningSdk, scopes: Scopes, at: number) => void,
  scope?: Scope,
): void {
  if (!sdk && count++ >= maxWaiting) return;
  const scopes = scopesOfNow(scope);
  const at = Date.now() / 1000;
  onSdk((running) => hand(running, scopes, at));
  if (!sdk) onQueued();
}

const logOf =
  (level: Log["level"]) =>
  (message: string, attributes?: Log["attributes"], { scope }: { scope?: Scope } = {}): void =>
    send((running, of, at) => running.captureLog({ level, message, attributes }, of, at), scope);

export const logger = {
  trace: /* @__PURE__ */ logOf("trace"),
  debug: /* @__PURE__ */ logOf("debug"),
  info: /* @__PURE__ */ logOf("info"),
  warn: /* @__PURE__ */ logOf("warn"),
  error: /* @__PURE__ */ logOf("error"),
  fatal: /* @__PURE__ */ logOf("fatal"),
  fmt,
};

type MetricOptions = Pick<Metric, "unit" | "attributes"> & { scope?: Scope };

const metricOf =
  (type: Metric["type"]) =>
  (name: string, value = 1, { scope, ...rest }: MetricOptions = {}): void =>
    send((running, of, at) => running.captureMetric({ type, name, value, ...rest }, of, at), scope);

export const metrics = {
  count: /* @__PURE__ */ metricOf("counter"),
  gauge: /* @__PURE__ */ metricOf("gauge"),
  distribution: /* @__PURE__ */ metricOf("distribution"),
};
