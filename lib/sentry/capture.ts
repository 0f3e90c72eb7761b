import type { Event, EventHint, Scope } from "@sentry/nextjs";
import { scrubText } from "@/lib/envelope/scrub-text";
import {
  queue,
  type ReportContext,
  type ReportedError,
  reportError,
} from "@/lib/reporting/browser/first-load/report-error";
import { type Captured, onSdk, sdk } from "@/lib/reporting/browser/first-load/sdk-link";
import { traceContext } from "@/lib/reporting/browser/first-load/visit";
import { fitting, fittingPart } from "./fitting";
import { RecordedScope } from "./recorded-scope";
import { settle } from "./settle";

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

/** Until the SDK has its own. Of the stack, the last is the current one. */
let roots: { global: RecordedScope; isolation: RecordedScope } | undefined = {
  global: new CapturingScope(),
  isolation: new CapturingScope(),
};
const stack: RecordedScope[] = [new CapturingScope()];

let last: string | undefined;
/** The context of what is being captured. */
let capturing: ReportContext | undefined;

export function getGlobalScope(): Scope {
  return roots?.global.asScope() ?? (sdk?.getGlobalScope() as Scope);
}

export function getIsolationScope(): Scope {
  return roots?.isolation.asScope() ?? (sdk?.getIsolationScope() as Scope);
}

/** A `withScope` that waits for something keeps its own scope when the SDK starts meanwhile. */
export function getCurrentScope(): Scope {
  return stack.at(-1)?.asScope() ?? (sdk?.getCurrentScope() as Scope);
}

/** As the SDK in the browser: where the callback returns a promise, its scope stays until it settles. */
export function withScope<T>(...args: [(scope: Scope) => T] | [Scope, (scope: Scope) => T]): T {
  const callback = args.pop() as (scope: Scope) => T;
  const given = args[0] as Scope | undefined;
  const top = stack.at(-1);
  if (!top) {
    const { withScope: inSdk } = sdk as { withScope: (...all: unknown[]) => T };
    return given ? inSdk(given, callback) : inSdk(callback);
  }
  const scope = (given as unknown as RecordedScope | undefined) ?? top.clone();
  stack.push(scope);
  return settle(
    () => callback(scope.asScope()),
    () => void stack.splice(stack.lastIndexOf(scope), 1),
  );
}

/** @returns the id of the event that was captured last */
export function lastEventId(): string | undefined {
  return sdk?.lastEventId() ?? last;
}

/** The scopes of this moment in one. */
export function scopeOfNow(current = stack.at(-1)): RecordedScope {
  const scope = new RecordedScope();
  for (const one of [roots?.global, roots?.isolation, current]) if (one) scope.add(one);
  return scope;
}

/** @returns the event's id, 32 hex digits, which it keeps wherever and however it is sent */
export function capture(
  captured: Captured,
  { captureContext, ...hint }: EventHint = {},
  current?: RecordedScope,
): string {
  const syntheticException = new Error(captured.message ?? "Sentry syntheticException");
  const scope = scopeOfNow(current).update(captureContext);
  capturing = contextOf(scope, captured, { syntheticException, ...hint });
  const chosen = chosenId(capturing);
  const id = reportError(captured.error, "sentry");
  // What was reported before is not queued again.
  capturing = undefined;
  last = chosen ?? id;
  return last;
}

/** In place of the array's own, so that a page without lib/sentry carries none of this. */
queue.push = (reported: ReportedError) => {
  const context = capturing ?? contextOf(scopeOfNow());
  capturing = undefined;
  const reference = chosenId(context) ?? reported.reference;
  return Array.prototype.push.call(queue, { ...reported, reference, context });
};

/** As with the SDK, whoever captures something may choose its id. */
function chosenId({ captured, hint }: ReportContext): string | undefined {
  return captured.event?.event_id ?? hint?.event_id;
}

/** What is known of a report, with the scope of its moment. */
function contextOf(scope: RecordedScope, captured: Captured = {}, hint?: EventHint): ReportContext {
  const { message, event: own } = captured;
  return {
    scope,
    captured,
    hint,
    complete(event: Event) {
      if ("error" in captured) {
        const mechanism = { type: "generic", handled: true, ...hint?.mechanism };
        Object.assign(event.exception?.values?.[0] ?? {}, { mechanism });
      } else if (own || message !== undefined) {
        const text = scrubText(String(message)).slice(0, 8192);
        const sent = own ? fittingPart(own, 8000) : { message: text };
        Object.assign(event, { exception: undefined, level: captured.level ?? "info" }, sent);
      }
      const { level = event.level, fingerprint = event.fingerprint, user } = scope;
      Object.assign(event, { level, fingerprint, user: user && { id: user.id } });
      for (const name of ["tags", "extra", "contexts"] as const) {
        Object.assign(event, { [name]: fittingPart({ ...scope[name], ...event[name] }, 5000) });
      }
      Object.assign(event.contexts ?? {}, { trace: traceContext() });
      // The last ones first, as long as there is room.
      event.breadcrumbs = fitting(scope.breadcrumbs.slice(-30).reverse(), 5000).reverse();
    },
  };
}

// Reports that wait have been handed over before, so each with the scope of its own moment.
onSdk((running) => {
  const [current] = stack.splice(0, 1);
  if (roots) running.takeOver(roots.global, running.getGlobalScope());
  if (roots) running.takeOver(roots.isolation, running.getIsolationScope());
  if (current) running.takeOver(current, running.getCurrentScope());
  roots = undefined;
});
