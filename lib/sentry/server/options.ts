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
> & {
  /** `false` if pages send Sentry's own: the server then counts none. As the option of its HTTP integration. */
  sessions?: boolean;
};

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
