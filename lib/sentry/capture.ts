import type { CaptureContext, Event, EventHint, Exception, Scope } from "@sentry/nextjs";
import { scrubText } from "@/lib/envelope/scrub-text";
import {
  captureException,
  queue,
  type ReportContext,
  type ReportedError,
} from "@/lib/reporting/browser/first-load/report-error";
import { type Captured, onSdk, sdk } from "@/lib/reporting/browser/first-load/sdk-link";
import { traceContext } from "@/lib/reporting/browser/first-load/visit";
import { fittingPart } from "./fitting";
import { RecordedScope } from "./recorded-scope";
import { settle } from "./settle";

/** As minimal-envelope.ts makes it: of one exception. */
type MinimalEvent = Event & { exception: { values: [Exception] } };

class CapturingScope extends RecordedScope {
  captureException(error: unknown, hint?: EventHint): string {
    return capture({ error }, hint, this);
  }

  captureMessage(message: string, level?: Event["level"], hint?: EventHint): string {
    return capture({ message, level }, hint, this);
  }

  captureEvent(event: Event, hint?: EventHint): string {
    return capture({ event }, hint, this);
  }
}

/** Teams see Sentry's own type. What is lacking here stands in docs/sentry.md. */
type TeamsScope = CapturingScope & Scope;
const TeamsScope = CapturingScope as new () => TeamsScope;

/** Scopes until the SDK has its own. The last of the stack is the current one. */
let roots: { global: TeamsScope; isolation: TeamsScope } | undefined = {
  global: new TeamsScope(),
  isolation: new TeamsScope(),
};
const stack = [new TeamsScope()];

let last: string | undefined;
/** The context of what is being captured. */
let capturing: ReportContext | undefined;

export function getGlobalScope(): Scope {
  return roots?.global ?? (sdk?.getGlobalScope() as Scope);
}

export function getIsolationScope(): Scope {
  return roots?.isolation ?? (sdk?.getIsolationScope() as Scope);
}

/** A `withScope` that waits for something keeps its own scope when the SDK starts meanwhile. */
export function getCurrentScope(): Scope {
  return stack.at(-1) ?? (sdk?.getCurrentScope() as Scope);
}

/** As with the SDK in the browser: if the callback returns a promise, its scope stays until that settles. */
export function withScope<T>(...args: [(scope: Scope) => T] | [Scope, (scope: Scope) => T]): T {
  const top = stack.at(-1);
  if (!top) return (sdk as { withScope: (...all: typeof args) => T }).withScope(...args);
  const callback = args.pop() as (scope: Scope) => T;
  const scope = (args[0] as TeamsScope | undefined) ?? top.clone();
  stack.push(scope);
  return settle(
    () => callback(scope),
    () => void stack.splice(stack.lastIndexOf(scope), 1),
  );
}

/** @returns the id of the event that was captured last */
export function lastEventId(): string | undefined {
  return sdk?.lastEventId() ?? last;
}

/** The scopes of this moment in one. */
export function scopeOfNow(current: RecordedScope | undefined = stack.at(-1)): RecordedScope {
  const scope = new RecordedScope();
  for (const one of [roots?.global, roots?.isolation, current]) if (one) scope.add(one);
  return scope;
}

/**
 * @param given a hint or, as with the SDK, what would be its `captureContext`: they share no names
 * @returns the event's id, 32 hex digits, which it keeps wherever and however it is sent
 */
export function capture(
  captured: Captured,
  given?: EventHint | CaptureContext,
  current?: RecordedScope,
): string {
  // Has the stack of the call.
  const syntheticException = new Error();
  const { captureContext, ...hint } = (given ?? {}) as EventHint;
  const scope = scopeOfNow(current)
    .update(given as CaptureContext)
    .update(captureContext);
  capturing = contextOf(scope, captured, { syntheticException, ...hint });
  const { chosenId } = capturing;
  try {
    const id = captureException(captured.error, "sentry");
    last = chosenId ?? id;
    return last;
  } finally {
    capturing = undefined;
  }
}

/** In place of the array's own, so that a page without lib/sentry carries none of this. */
queue.push = (reported: ReportedError) => {
  const context = capturing ?? contextOf(scopeOfNow());
  const { chosenId: reference = reported.reference } = context;
  queue[queue.length] = { ...reported, reference, context };
  last = reference;
  return queue.length;
};

/** What is known of a report, with the scope of its moment. */
function contextOf(scope: RecordedScope, captured: Captured = {}, hint?: EventHint): ReportContext {
  const { message, event: own } = captured;
  return {
    scope,
    captured,
    hint,
    chosenId: own?.event_id ?? hint?.event_id,
    complete(event: MinimalEvent) {
      if ("error" in captured) {
        const [exception] = event.exception.values;
        exception.mechanism = { type: "generic", handled: true, ...hint?.mechanism };
      } else if (own || message !== undefined) {
        const text = scrubText(String(message)).slice(0, 8192);
        const sent = own ? fittingPart(own, 8000) : { message: text };
        Object.assign(event, { exception: undefined, level: captured.level ?? "info" }, sent);
      }
      const { tags, extra, contexts, level, fingerprint, user, breadcrumbs } = scope;
      const room = 5000;
      const told = {
        level: level ?? event.level,
        fingerprint: fingerprint ?? event.fingerprint,
        user: user && { id: user.id },
        tags: fittingPart({ ...tags, ...event.tags }, room),
        extra: fittingPart({ ...extra, ...event.extra }, room),
        contexts: {
          ...fittingPart({ ...contexts, ...event.contexts }, room),
          trace: traceContext(),
        },
        // The last ones first, as long as there is room.
        breadcrumbs: Object.values(fittingPart(breadcrumbs.slice(-30).reverse(), room)).reverse(),
      };
      // Without what JSON can't hold, such as a BigInt as the user's id.
      Object.assign(event, fittingPart(told, 6 * room));
    },
  };
}

// By then the waiting reports are handed over, each with the scope of its moment.
onSdk((running) => {
  running.takeOver({ ...roots, current: stack.shift() });
  roots = undefined;
});
