import type { StartSpanOptions } from "@sentry/core";
import type { Scope, Span } from "@sentry/nextjs";
import { newId } from "@/lib/reporting/browser/first-load/report-error";
import {
  type EarlySpan,
  onSdk,
  type RunningSdk,
  sdk,
} from "@/lib/reporting/browser/first-load/sdk-link";
import { traceContext } from "@/lib/reporting/browser/first-load/visit";
import { getCurrentScope, withScope } from "./capture";
import { jsonLength } from "./fitting";
import type { RecordedScope } from "./recorded-scope";
import { settle } from "./settle";

/** Of spans for which the SDK is awaited; later ones are dropped. */
const maxSpans = 200;
const maxLength = 50_000;

let count = 0;
let length = 0;
let waiting: RecordedSpan[] = [];

type Attributes = Record<string, unknown>;

/**
 * A span before the SDK is there. If the SDK comes, and the visit is sampled, it gets the span with the
 * times that it had. A page that is left before sends no spans of the team's.
 */
class RecordedSpan implements EarlySpan {
  options: StartSpanOptions;
  children: RecordedSpan[] = [];
  start = Date.now() / 1000;
  ended?: Parameters<Span["end"]>[0];
  status?: Parameters<Span["setStatus"]>[0];
  id = newId().slice(16);
  /** None, if its parent has ended or it has none. */
  parent?: RecordedSpan;

  constructor(options: StartSpanOptions, parent?: RecordedSpan) {
    this.options = { ...options };
    if (parent && !parent.ended) this.parent = parent;
  }

  spanContext() {
    // Whether the visit is sampled is not known yet.
    return { traceId: traceContext().trace_id as string, spanId: this.id, traceFlags: 0 };
  }

  isRecording(): boolean {
    return !this.ended;
  }

  setAttribute(key: string, value: unknown): this {
    return this.setAttributes({ [key]: value });
  }

  setAttributes(attributes: Attributes): this {
    this.options.attributes = {
      ...this.options.attributes,
      ...(attributes as StartSpanOptions["attributes"]),
    };
    return this;
  }

  setStatus(status: Parameters<Span["setStatus"]>[0]): this {
    this.status = status;
    return this;
  }

  updateName(name: string): this {
    this.options.name = name;
    return this;
  }

  addEvent(): this {
    return this;
  }

  addLink(link: unknown): this {
    return this.addLinks([link]);
  }

  addLinks(links: unknown[]): this {
    this.options.links = [...(this.options.links ?? []), ...(links as [])];
    return this;
  }

  recordException(): void {
    // The SDK's does nothing either.
  }

  end(at?: Parameters<Span["end"]>[0]): void {
    if (this.ended) return;
    this.ended = at ?? Date.now() / 1000;
    length += jsonLength([this.options.name, this.options.attributes]);
    if (count++ >= maxSpans || length > maxLength) return;
    // A child is handed over with its parent, which ends later.
    const list = this.parent && !this.parent.ended ? this.parent.children : waiting;
    list.push(this);
    // Not before: a page that has no spans carries none of this.
    if (list.length === 1 && list === waiting) onSdk(replay);
  }
}

function replay(running: RunningSdk): void {
  running.replaySpans(waiting);
  waiting = [];
  count = 0;
  length = 0;
}

function recorded(options: StartSpanOptions): Span {
  const { parentSpan = getActiveSpan() } = options;
  const parent = parentSpan instanceof RecordedSpan ? parentSpan : undefined;
  return new RecordedSpan(options, parent) as unknown as Span;
}

export function getActiveSpan(): Span | undefined {
  const { span } = getCurrentScope() as unknown as RecordedScope;
  return (span as Span | undefined) ?? sdk?.getActiveSpan();
}

export function startInactiveSpan(options: StartSpanOptions): Span {
  return sdk ? sdk.startInactiveSpan(options) : recorded(options);
}

/** The callback always runs, with or without the SDK. */
export function startSpanManual<T>(
  options: StartSpanOptions,
  callback: (span: Span, end: () => void) => T,
): T {
  if (sdk) return sdk.startSpanManual(options, callback);
  return runInSpan(options, callback, false);
}

/** The callback always runs, with or without the SDK. */
export function startSpan<T>(options: StartSpanOptions, callback: (span: Span) => T): T {
  if (sdk) return sdk.startSpan(options, callback);
  return runInSpan(options, callback, true);
}

function runInSpan<T>(
  options: StartSpanOptions,
  callback: (span: Span, end: () => void) => T,
  ends: boolean,
): T {
  return withScope((scope: Scope) => {
    const span = recorded(options);
    Object.assign(scope, { span });
    return settle(
      () => callback(span, () => span.end()),
      (failed) => {
        if (failed) span.setStatus({ code: 2, message: "internal_error" });
        if (ends) span.end();
      },
    );
  });
}
