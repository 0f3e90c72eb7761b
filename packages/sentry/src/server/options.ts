import type { NodeOptions } from "@sentry/nextjs";
import type { EmbeddedDestination } from "@signpost/relay";
import type { NameOptions } from "../shared/privacy/private-names.ts";

/** What `init` takes on the server: Sentry's own options, and a few more. */
export type ServerOptions = NodeOptions &
  NameOptions & {
    /**
     * Patterns of pages and API routes, with all below them, that are asked for too often to be measured:
     * API routes and pages' data are not traced, and the pages' documents are no sessions.
     */
    excludeFromTracing?: readonly string[];
    /** `false` if pages send Sentry's own: the server then counts none. As the option of its HTTP integration. */
    sessions?: boolean;
    /** Where reports go while no service is configured, such as `inbox()`. Without one they wait. */
    destination?: EmbeddedDestination;
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

type Hook<Event, Hint> = (event: Event, hint: Hint) => PromiseLike<Event | null> | Event | null;

/**
 * Runs hooks such as `beforeSend` one after the other, until one returns `null`. Unless a hook of the
 * team's returns a promise, all have run when this returns.
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

function isPromise<T>(value: PromiseLike<T> | T): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | null)?.then === "function";
}
