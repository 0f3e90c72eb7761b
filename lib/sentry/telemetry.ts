import type { Log, Metric } from "@sentry/core";
import type { Scope } from "@sentry/nextjs";
import { type EarlyItem, onSdk, sdk } from "@/lib/reporting/browser/first-load/sdk-link";
import { traceContext } from "@/lib/reporting/browser/first-load/visit";
import { onLeave, sendAtOnce } from "@/lib/reporting/browser/first-load/without-sdk";
import { scopeOfNow } from "./capture";
import { fittingPart, jsonLength } from "./fitting";
import type { RecordedScope } from "./recorded-scope";

/** Of logs and metrics that wait. As many are sent at once, in envelopes that a beacon takes. */
const maxItems = 100;
const maxLength = 15_000;

let waiting: EarlyItem[] = [];
let length = 0;
let listens = false;

/**
 * Logs and metrics wait for the SDK. If the page is left first, or too many wait, they leave in the
 * smallest form, whether or not the visit is sampled. One that is too long for that is left out.
 */
function wait(what: { log: Log } | { metric: Metric }, given: Scope | undefined): void {
  const scope = scopeOfNow(given as unknown as RecordedScope | undefined);
  // Not before: a page that has no logs and metrics carries none of this.
  if (!listens) {
    listens = true;
    onLeave(sendWaiting);
    onSdk((running) => running.replayItems(takeWaiting()));
  }
  const item = { ...what, scope, at: Date.now() / 1000 };
  const added = jsonLength(smallForm(item));
  if (added > maxLength) return;
  if (length + added > maxLength || waiting.length === maxItems) sendWaiting();
  length += added;
  waiting.push(item);
}

type Attributes = Log["attributes"];

const logOf =
  (level: Log["level"]) =>
  (message: string, attributes?: Attributes, { scope }: { scope?: Scope } = {}): void => {
    const log = { level, message, attributes };
    if (sdk) sdk.captureLog(log, scope);
    else wait({ log }, scope);
  };

/** As the SDK's: the template and its values become attributes of the log. */
function fmt(strings: TemplateStringsArray, ...values: unknown[]): string {
  const text = new String(String.raw({ raw: strings }, ...values));
  return Object.assign(text, {
    __sentry_template_string__: strings.join("\0").replace(/%/g, "%%").replace(/\0/g, "%s"),
    __sentry_template_values__: values,
  }) as unknown as string;
}

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
  (name: string, value = 1, { scope, unit, attributes }: MetricOptions = {}): void => {
    const metric = { type, name, value, unit, attributes };
    if (sdk) sdk.captureMetric(metric, scope);
    else wait({ metric }, scope);
  };

export const metrics = {
  count: /* @__PURE__ */ metricOf("counter"),
  gauge: /* @__PURE__ */ metricOf("gauge"),
  distribution: /* @__PURE__ */ metricOf("distribution"),
};

function takeWaiting(): EarlyItem[] {
  const all = waiting;
  waiting = [];
  length = 0;
  return all;
}

/** Without the attributes that JSON can't hold or that are too long. The SDK gets them all. */
function smallForm({ scope, at, log, metric }: EarlyItem) {
  const attributes = {
    "user.id": scope.user?.id,
    ...scope.attributes,
    ...(log ?? metric)?.attributes,
  };
  return {
    timestamp: at,
    trace_id: traceContext().trace_id,
    ...(log && { ...log, message: String(log.message) }),
    ...metric,
    attributes: fittingPart(attributes, maxLength / 2),
  };
}

/** Marked as in without-sdk.ts: the tunnel writes it as Sentry's protocol has it, and scrubs it. */
function sendWaiting(): void {
  const items = takeWaiting().map(smallForm);
  if (items.length === 0) return;
  const lines = [{ incomplete: true }, { type: "log" }, { items }];
  sendAtOnce(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}
