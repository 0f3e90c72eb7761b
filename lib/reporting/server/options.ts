import type { NodeOptions } from "@sentry/nextjs";

/** What sentry.server.config.ts may hold: Sentry's own options, but those that Signpost sets itself. */
export type ServerOptions = Pick<
  NodeOptions,
  | "beforeSend"
  | "beforeSendTransaction"
  | "beforeBreadcrumb"
  | "beforeSendLog"
  | "beforeSendMetric"
  | "ignoreErrors"
  | "ignoreSpans"
  | "allowUrls"
  | "denyUrls"
  | "integrations"
  | "tracesSampler"
  | "initialScope"
  | "maxBreadcrumbs"
  | "maxValueLength"
  | "normalizeDepth"
>;

type Integrations = NodeOptions["integrations"];
type IntegrationList = Extract<Integrations, unknown[]>;

/** The team's integrations on top of Signpost's, whether they are a list or change the list. */
export function withIntegrations(
  ours: (defaults: IntegrationList) => IntegrationList,
  theirs: Integrations = [],
): Integrations {
  return (defaults) => {
    const list = ours(defaults);
    return typeof theirs === "function" ? theirs(list) : [...list, ...theirs];
  };
}

type Hook<Event, Hint> = (event: Event, hint: Hint) => PromiseLike<Event | null> | Event | null;

/**
 * Runs the hooks one after the other, until one returns `null`. Unless a hook of the team's returns a
 * promise, all have run when this returns.
 */
export function inTurn<Event, Hint>(
  ...hooks: (Hook<Event, Hint> | undefined)[]
): Hook<Event, Hint> {
  return (event, hint) =>
    hooks.reduce<ReturnType<Hook<Event, Hint>>>((before, hook) => {
      if (!hook) return before;
      if (isPromise(before)) return before.then((kept) => kept && hook(kept, hint));
      return before && hook(before, hint);
    }, event);
}

export function isPromise<T>(value: PromiseLike<T> | T): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | null)?.then === "function";
}
