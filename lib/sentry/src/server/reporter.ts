import { AsyncLocalStorage } from "node:async_hooks";
import {
  type ErrorEvent,
  type EventHint,
  getClient,
  getCurrentScope,
  getTraceData,
  type NodeOptions,
} from "@sentry/nextjs";
import { isPromise } from "./hooks.ts";
import { referenceOf, remember } from "./references.ts";
import { ReportLimit, reportKey } from "./report-limit.ts";
import { reportBegins, reportEnds } from "./reports-under-way.ts";
import { currentRequest } from "./request-scopes.ts";
import type { RequestTraces } from "./request-traces.ts";
import { mechanisms, type ServerReporter } from "./shared.ts";

interface CaptureResult {
  /** Filled in by `limitEvents`: the id of the event, or of the latest one of its kind. */
  reference: string;
  /** Whether the event is not stored yet: it is on its way to the transport, or a hook has it. */
  underWay: boolean;
}

/**
 * Connects the rest of the app to the started SDK.
 *
 * @param isAsync whether the SDK's integrations process events later, as with `SENTRY_SERVER_TRACING=full`
 */
export function sdkReporter(traces: RequestTraces | undefined, isAsync: boolean): ServerReporter {
  // The SDK's transport has stored the event by then.
  getClient()?.on("afterSendEvent", ({ event_id }) => reportEnds(event_id));
  getClient()?.on("preprocessEvent", ({ type }, { originalException: error, event_id } = {}) => {
    if (!type && event_id !== undefined) captureBegins(error, event_id, isAsync);
  });
  const capturing = endsOfDropped();
  return {
    capture(error, eventId, { route, mechanism, level, nextjs }) {
      const scope = getCurrentScope().clone();
      if (level) scope.setLevel(level);
      const { method } = currentRequest() ?? {};
      if (nextjs) scope.setContext("nextjs", nextjs);
      if (route) {
        scope.setTransactionName(method ? `${method} ${route}` : route).setTag("route", route);
      }
      const result: CaptureResult = { reference: eventId, underWay: isAsync };
      reportBegins(eventId);
      const hint = {
        event_id: eventId,
        originalException: error,
        // The SDK gives what is no Error this one's stack, in place of that of the calls up to here.
        syntheticException: Object.assign(new Error(), { stack: "" }),
        mechanism: { type: mechanism, handled: false },
        data: result,
      };
      letCapture(error);
      capturing.run(eventId, () => getClient()?.captureException(error, hint, scope));
      if (!result.underWay) reportEnds(eventId);
      return result.reference;
    },
    currentRequest,
    traceMeta() {
      if (traces) return traces.meta();
      const { "sentry-trace": sentryTrace, baggage } = getTraceData();
      return sentryTrace ? { sentryTrace, baggage } : undefined;
    },
    flush() {
      const client = getClient();
      client?.emit("flush");
      void client?.getTransport()?.flush();
    },
  };
}

/** The SDK marks what it has captured, and captures no object twice. Another request may fail by it. */
function letCapture(error: unknown): void {
  try {
    delete (error as { __sentry_captured__?: true }).__sentry_captured__;
  } catch {
    // What can't be changed has no mark.
  }
}

/**
 * The team may capture an error and throw it again: the error page names the event of the first
 * capture, as the SDK makes no second one. Nothing else knows of it by then where events are
 * processed later.
 */
function captureBegins(error: unknown, eventId: string, isAsync: boolean): void {
  if (typeof error !== "object" || error === null || referenceOf(error)) return;
  remember(error, eventId);
  if (isAsync) reportBegins(eventId);
}

/**
 * The SDK says that it drops an event, as `ignoreErrors` or an event processor asks, but not which.
 *
 * @returns holds the id of the event whose capture is going on
 */
function endsOfDropped(): AsyncLocalStorage<string> {
  const capturing = new AsyncLocalStorage<string>();
  const client = getClient();
  if (client) {
    const record = client.recordDroppedEvent.bind(client);
    client.recordDroppedEvent = (...dropped) => {
      reportEnds(capturing.getStore());
      record(...dropped);
    };
  }
  return capturing;
}

/** However many requests fail, the end of the process is reported. */
const crashMechanism: string = mechanisms.uncaughtException;

/**
 * Limits the events that the server makes, whoever captured them, and remembers under which event an
 * error is found. For `beforeSend`.
 *
 * @param onTooMany called for each event that was one too many
 */
export function limitEvents(onTooMany: () => void) {
  const limit = new ReportLimit();
  const crashLimit = new ReportLimit();
  return (event: ErrorEvent, hint: EventHint): ErrorEvent | null => {
    const eventId = event.event_id ?? "";
    const mechanism = event.exception?.values?.at(-1)?.mechanism?.type ?? "message";
    const route = event.tags?.route === undefined ? undefined : String(event.tags.route);
    const share = mechanism === crashMechanism ? crashLimit : limit;
    const key = reportKey(captured(event, hint), { mechanism, route });
    const { allowed, latest = eventId } = share.take(key, eventId);
    const { originalException: error, data } = hint;
    remember(error, latest);
    if (data && "reference" in data) Object.assign(data, { reference: latest, underWay: allowed });
    if (allowed) {
      // The team may have captured it itself, and have an error page name it.
      reportBegins(eventId);
      return event;
    }
    reportEnds(eventId);
    onTooMany();
    return null;
  };
}

type BeforeSend = NonNullable<NodeOptions["beforeSend"]>;

/** The team's hook. If it returns a promise, an answer that names the event waits for that too. */
export function awaited(hook: BeforeSend | undefined): BeforeSend | undefined {
  return (
    hook &&
    ((event, hint) => {
      const result = hook(event, hint);
      if (!isPromise(result)) return result;
      if (hint.data && "underWay" in hint.data) Object.assign(hint.data, { underWay: true });
      return result.then((kept) => {
        if (!kept) reportEnds(event.event_id);
        return kept;
      });
    })
  );
}

/** What was captured: an exception, a message, or an event of the team's own making. */
function captured(event: ErrorEvent, { originalException }: EventHint): unknown {
  const { type, value } = event.exception?.values?.at(-1) ?? {};
  return originalException ?? event.message ?? `${type} ${value}`;
}
