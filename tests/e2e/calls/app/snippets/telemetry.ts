import { Sentry } from "../sentry";
import { browser, node, type Snippet } from "./snippet";
import { wrong } from "./wrong";

const ownTrace = "Without OpenTelemetry, a given scope has its own trace, and no active span.";

export const telemetry: Snippet[] = [
  { name: "logger.trace", run: () => Sentry.logger.trace("A trace", { step: 1 }) },
  { name: "logger.debug", run: () => Sentry.logger.debug("A debug line") },
  {
    name: "logger.info",
    run: () => Sentry.logger.info("An info line", { items: 3, cart: "full" }),
  },
  { name: "logger.warn", run: () => Sentry.logger.warn("A warning", { ok: false }) },
  { name: "logger.error", run: () => Sentry.logger.error("An error line", { code: 4.5 }) },
  { name: "logger.fatal", run: () => Sentry.logger.fatal("A fatal line") },
  {
    name: "logger.fmt",
    run: () => Sentry.logger.info(Sentry.logger.fmt`User ${"Ada"} has ${3} items`, { more: "yes" }),
  },
  {
    name: "logger.info with attributes of all kinds",
    run: () =>
      Sentry.logger.info("Of all kinds", {
        object: { a: { b: 1 } },
        list: [1, 2],
        date: new Date(0),
        error: new Error("Inside of a log"),
        nothing: undefined,
        null: null,
        nan: Number.NaN,
      }),
  },
  {
    name: "logger.info with a scope",
    differs: [{ in: node, what: "log In a scope*", why: ownTrace }],
    run: () => {
      const scope = new Sentry.Scope();
      scope.setAttributes({ by: "scope" });
      Sentry.logger.info("In a scope", {}, { scope });
    },
  },
  {
    name: "logger.info of a user and attributes of the scope",
    run: () => {
      Sentry.setUser({ id: "17", username: "ada", email: "ada@example.org" });
      Sentry.getIsolationScope().setAttribute("of", "isolation");
      Sentry.getCurrentScope().setAttributes({ and: "current" });
      Sentry.logger.info("Of a user");
    },
  },
  {
    name: "logger.info in a span",
    run: () => Sentry.startSpan({ name: "around a log" }, () => Sentry.logger.info("In a span")),
  },
  { name: "logger.info of an empty text", run: () => Sentry.logger.info("") },
  { name: "logger.info of a number", run: () => Sentry.logger.info(wrong(42)) },
  { name: "logger.info of null", run: () => Sentry.logger.info(wrong(null)) },
  {
    name: "logger.info with null as attributes",
    run: () => Sentry.logger.info("With null", wrong(null)),
  },
  {
    name: "logger.info in a loop",
    run: () => {
      for (let n = 0; n < 20; n += 1) Sentry.logger.info("turn", { n });
    },
  },
  {
    name: "logger's names",
    run: () => Object.keys(Sentry.logger).sort(),
  },
  {
    name: "createConsolaReporter",
    run: () => {
      const reporter = Sentry.createConsolaReporter({ levels: ["info", "error"] });
      reporter.log({ type: "info", level: 3, args: ["By consola"], tag: "ours", date: new Date() });
      return Object.keys(reporter);
    },
  },
  { name: "metrics.count", run: () => Sentry.metrics.count("clicks") },
  {
    name: "metrics.count with a value and attributes",
    run: () => Sentry.metrics.count("buys", 3, { attributes: { plan: "free", new: true } }),
  },
  {
    name: "metrics.gauge",
    run: () => Sentry.metrics.gauge("queue", 17, { unit: "item", attributes: { name: "mail" } }),
  },
  {
    name: "metrics.distribution",
    run: () => Sentry.metrics.distribution("response", 187.5, { unit: "millisecond" }),
  },
  {
    name: "metrics with a scope",
    differs: [{ in: node, what: "metric scoped*", why: ownTrace }],
    run: () => {
      const scope = new Sentry.Scope();
      scope.setAttributes({ by: "scope" });
      Sentry.metrics.count("scoped", 1, { scope });
    },
  },
  {
    name: "metrics of a user, in a span",
    run: () => {
      Sentry.setUser({ id: "17" });
      Sentry.startSpan({ name: "around a metric" }, () => Sentry.metrics.gauge("within", 1));
    },
  },
  {
    name: "metrics in a loop",
    run: () => {
      for (let n = 0; n < 10; n += 1) Sentry.metrics.count("turns");
    },
  },
  { name: "metrics.gauge of a text", run: () => Sentry.metrics.gauge("odd", wrong("17")) },
  { name: "metrics.gauge of NaN", run: () => Sentry.metrics.gauge("nan", Number.NaN) },
  { name: "metrics.count without a name", run: () => Sentry.metrics.count(wrong(undefined)) },
  {
    name: "metrics.count with null as options",
    run: () => Sentry.metrics.count("null options", 1, wrong(null)),
  },
  { name: "metrics' names", run: () => Object.keys(Sentry.metrics).sort() },
  {
    name: "parameterize",
    in: [...browser, ...node],
    run: () => {
      const text = wrong<Record<string, unknown>>(Sentry.parameterize`a ${1} b ${"c"}`);
      return [String(text), text.__sentry_template_string__, text.__sentry_template_values__];
    },
  },
];
