import type { Span } from "@signpost/sentry";
import { Sentry } from "../sentry";
import { browser, node, type Snippet, server } from "./snippet";
import { wrong } from "./wrong";

const traceId = "12345678901234567890123456789012";
const sentryTrace = `${traceId}-1234567890123456-1`;
const baggage = `sentry-trace_id=${traceId},sentry-sampled=true,sentry-sample_rate=1,other=1`;

/** What a span says of itself, without what differs from one to the next. */
const jsonOf = (span: Span) => {
  const { trace_id, span_id, start_timestamp, name, status, attributes } = Sentry.spanToJSON(span);
  const { a, "sentry.op": op, "sentry.origin": origin } = attributes;
  const kinds = [trace_id, span_id, start_timestamp].map((value) => typeof value);
  return { name, status, a, op, origin, kinds };
};

export const tracing: Snippet[] = [
  {
    name: "startSpan",
    run: () => Sentry.startSpan({ name: "prices", op: "function" }, () => "given back"),
  },
  {
    name: "startSpan of an async callback",
    run: () =>
      Sentry.startSpan({ name: "async prices" }, async () => {
        await Promise.resolve();
        return "given back later";
      }),
  },
  {
    name: "startSpan, never awaited",
    run: () => {
      void Sentry.startSpan({ name: "never awaited" }, () => Promise.resolve());
    },
  },
  {
    name: "startSpan with attributes",
    run: () =>
      Sentry.startSpan(
        { name: "with attributes", op: "task", attributes: { rows: 3, cached: false, of: ["a"] } },
        (span) => {
          span.setAttribute("later", "yes");
          span.setAttributes({ more: 1, undone: undefined });
        },
      ),
  },
  {
    name: "startSpan inside of startSpan",
    run: () =>
      Sentry.startSpan({ name: "outer" }, () =>
        Sentry.startSpan({ name: "inner" }, () => Sentry.startSpan({ name: "innermost" }, () => 3)),
      ),
  },
  {
    name: "startSpan in a loop",
    run: () => {
      for (let n = 0; n < 10; n += 1) Sentry.startSpan({ name: "turn" }, () => n);
    },
  },
  {
    name: "startSpan of a callback that throws",
    run: () =>
      Sentry.startSpan({ name: "throwing" }, () => {
        throw new Error("In a span");
      }),
  },
  {
    name: "startSpan of a callback that rejects",
    run: () =>
      Sentry.startSpan({ name: "rejecting" }, async () => {
        throw new Error("In an async span");
      }),
  },
  {
    name: "startSpan with a status",
    run: () =>
      Sentry.startSpan({ name: "with a status" }, (span) => {
        span.setStatus({ code: 2, message: "not_found" });
      }),
  },
  {
    name: "startSpan with an ok status",
    run: () =>
      Sentry.startSpan({ name: "with an ok status" }, (span) => {
        span.setStatus({ code: 1 });
      }),
  },
  {
    name: "startSpan with events, an exception and links",
    run: () =>
      Sentry.startSpan({ name: "with links" }, (span) => {
        span.addEvent("happened", { n: 1 });
        span.recordException(new Error("Recorded"));
        const context = { traceId, spanId: "1234567890123456", traceFlags: 1 };
        span.addLink({ context, attributes: { "sentry.link.type": "previous_trace" } });
        span.addLinks([{ context }]);
      }),
  },
  {
    name: "startSpan with a start of its own",
    run: () =>
      Sentry.startSpan({ name: "with a start", startTime: Date.now() / 1000 - 0.001 }, () => {}),
  },
  {
    name: "startSpan that only has a parent",
    run: () =>
      Sentry.startNewTrace(() =>
        Sentry.withActiveSpan(null, () =>
          Sentry.startSpan({ name: "without a parent", onlyIfParent: true }, (span) =>
            span.isRecording(),
          ),
        ),
      ),
  },
  {
    name: "startSpan that forces a transaction",
    run: () =>
      Sentry.startSpan({ name: "around a transaction" }, () =>
        Sentry.startSpan(
          { name: "forced", op: "task", forceTransaction: true },
          () => "given back",
        ),
      ),
  },
  {
    name: "startSpan with a parent that is given",
    run: () => {
      const parentSpan = Sentry.startInactiveSpan({ name: "parent" });
      Sentry.startSpan({ name: "child", parentSpan }, () => {});
      parentSpan.end();
    },
  },
  {
    name: "startSpan with a scope",
    run: () => {
      const scope = Sentry.getCurrentScope().clone();
      scope.setTag("of", "the scope");
      Sentry.startSpan({ name: "in a scope", scope }, () => Sentry.captureMessage("In its scope"));
    },
  },
  { name: "startSpan without a name", run: () => Sentry.startSpan(wrong({}), () => "given back") },
  { name: "startSpan of null", run: () => Sentry.startSpan(wrong(null), () => "given back") },
  {
    name: "startSpan without a callback",
    run: () => Sentry.startSpan({ name: "without a callback" }, wrong(undefined)),
  },
  {
    name: "a capture in a span",
    run: () =>
      Sentry.startSpan({ name: "around a capture" }, () =>
        Sentry.captureException(new Error("Captured in a span")),
      ),
  },
  {
    name: "tags that are set in a span",
    run: () =>
      Sentry.startSpan({ name: "around a tag", forceTransaction: true }, () => {
        Sentry.setTag("in", "span");
        Sentry.setUser({ id: "17" });
        Sentry.setContext("order", { number: 17 });
        Sentry.addBreadcrumb({ message: "in a span" });
      }),
  },
  {
    name: "startSpanManual",
    run: () =>
      Sentry.startSpanManual({ name: "manual", op: "task" }, (span) => {
        span.end();
        return "given back";
      }),
  },
  {
    name: "startSpanManual that ends by its second argument, later",
    run: () =>
      Sentry.startSpanManual(
        { name: "manual, later" },
        (_span, end) =>
          new Promise((resolve) => {
            queueMicrotask(() => {
              end();
              resolve("later");
            });
          }),
      ),
  },
  {
    name: "startSpanManual that never ends",
    // The page load waits for it: a page that is left before sends its times alone.
    alone: true,
    run: () => Sentry.startSpanManual({ name: "without an end" }, (span) => span.isRecording()),
  },
  {
    name: "startInactiveSpan",
    run: () => {
      const span = Sentry.startInactiveSpan({ name: "inactive", op: "task" });
      const isActive = Sentry.getActiveSpan() === span;
      const before = span.isRecording();
      span.end();
      return [isActive, before, span.isRecording()];
    },
  },
  {
    name: "startInactiveSpan that ends twice",
    run: () => {
      const span = Sentry.startInactiveSpan({ name: "ends twice" });
      span.end();
      span.setAttribute("after", "the end");
      span.end();
    },
  },
  {
    name: "startInactiveSpan with an end of its own",
    run: () => {
      const span = Sentry.startInactiveSpan({ name: "ends then" });
      span.end(Date.now());
    },
  },
  {
    name: "what a span gives of itself",
    run: () => {
      const span = Sentry.startInactiveSpan({ name: "of itself" });
      const { traceId, spanId, traceFlags } = span.spanContext();
      const gives = [traceId.length, spanId.length, traceFlags];
      const chained =
        span.updateName("renamed") === span &&
        span.setAttribute("a", 1) === span &&
        span.setAttributes({ b: 2 }) === span &&
        span.setStatus({ code: 1 }) === span &&
        span.addLink({ context: span.spanContext() }) === span;
      span.end();
      return [gives, chained];
    },
  },
  {
    name: "updateSpanName",
    in: [...browser, ...node],
    run: () =>
      Sentry.startSpan({ name: "before its new name" }, (span) =>
        Sentry.updateSpanName(span, "with its new name"),
      ),
  },
  {
    name: "updateSpanName of null",
    in: [...browser, ...node],
    run: () => Sentry.updateSpanName(wrong(null), "of nothing"),
  },
  {
    name: "getActiveSpan in a span",
    run: () => Sentry.startSpan({ name: "active" }, (span) => Sentry.getActiveSpan() === span),
  },
  {
    name: "getActiveSpan after a span",
    run: () => {
      const before = Sentry.getActiveSpan();
      Sentry.startSpan({ name: "active before" }, () => {});
      return Sentry.getActiveSpan() === before;
    },
  },
  {
    name: "getActiveSpan after await in a span",
    in: server,
    run: () =>
      Sentry.startSpan({ name: "active after await" }, async (span) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        return Sentry.getActiveSpan() === span;
      }),
  },
  {
    name: "an attribute of the active span",
    run: () =>
      Sentry.startSpan({ name: "has an attribute" }, () => {
        Sentry.getActiveSpan()?.setAttribute("set", "by getActiveSpan");
      }),
  },
  {
    name: "withActiveSpan",
    run: () => {
      const span = Sentry.startInactiveSpan({ name: "made active" });
      const gives = Sentry.withActiveSpan(span, (scope) => {
        scope.setTag("of", "withActiveSpan");
        Sentry.startSpan({ name: "below it" }, () => {});
        return [Sentry.getActiveSpan() === span, scope === Sentry.getCurrentScope()];
      });
      span.end();
      return gives;
    },
  },
  {
    name: "withActiveSpan of null",
    run: () =>
      Sentry.withActiveSpan(null, (scope) => {
        scope.setTag("of", "no span");
        Sentry.startSpan({ name: "below nothing" }, () => {});
        return Sentry.getActiveSpan() === undefined;
      }),
  },
  {
    name: "withActiveSpan without a callback",
    run: () => Sentry.withActiveSpan(null, wrong<() => void>(undefined)),
  },
  {
    name: "setActiveSpanInBrowser",
    in: browser,
    run: () => {
      const span = Sentry.startInactiveSpan({ name: "active in the browser" });
      Sentry.setActiveSpanInBrowser(span);
      const isActive = Sentry.getActiveSpan() === span;
      Sentry.startSpan({ name: "below the active one" }, () => {});
      span.end();
      return [isActive, Sentry.getActiveSpan() === span];
    },
  },
  {
    name: "continueTrace",
    run: () =>
      Sentry.continueTrace({ sentryTrace, baggage }, () =>
        Sentry.startSpan(
          { name: "continued", op: "task" },
          (span) => span.spanContext().traceId === traceId,
        ),
      ),
  },
  {
    name: "continueTrace and a capture",
    run: () =>
      Sentry.continueTrace({ sentryTrace, baggage }, () => {
        Sentry.captureMessage("In a continued trace");
        return Sentry.getTraceData()["sentry-trace"]?.startsWith(traceId);
      }),
  },
  {
    name: "continueTrace of nothing",
    run: () =>
      Sentry.continueTrace({ sentryTrace: undefined, baggage: undefined }, () =>
        Sentry.startSpan({ name: "continues nothing" }, () => "given back"),
      ),
  },
  {
    name: "continueTrace of what is no trace",
    run: () =>
      Sentry.continueTrace({ sentryTrace: "odd", baggage: "odd=1" }, () =>
        Sentry.startSpan({ name: "continues oddly" }, () => "given back"),
      ),
  },
  {
    name: "startNewTrace",
    run: () => {
      const traceOf = () => Sentry.getTraceData()["sentry-trace"]?.slice(0, 32);
      const before = traceOf();
      return Sentry.startNewTrace(() => {
        Sentry.startSpan({ name: "in a new trace", op: "task" }, () => {});
        return [typeof before, before === traceOf()];
      });
    },
  },
  {
    name: "startNewTrace and a capture",
    run: () => Sentry.startNewTrace(() => Sentry.captureMessage("In a new trace")),
  },
  {
    name: "suppressTracing",
    run: () =>
      Sentry.suppressTracing(() =>
        Sentry.startSpan({ name: "suppressed" }, (span) => span.isRecording()),
      ),
  },
  {
    name: "suppressTracing of an async callback",
    run: () =>
      Sentry.suppressTracing(async () => {
        Sentry.captureMessage("While tracing is suppressed");
        return "given back";
      }),
  },
  {
    name: "getRootSpan",
    run: () =>
      Sentry.startNewTrace(() =>
        Sentry.withActiveSpan(null, () =>
          Sentry.startSpan({ name: "root" }, (root) =>
            Sentry.startSpan({ name: "leaf" }, (leaf) => Sentry.getRootSpan(leaf) === root),
          ),
        ),
      ),
  },
  {
    name: "getSpanDescendants",
    run: () =>
      Sentry.startSpan({ name: "ancestor" }, (span) => {
        Sentry.startSpan({ name: "descendant" }, () => {});
        return Sentry.getSpanDescendants(span).length;
      }),
  },
  {
    name: "spanToJSON",
    run: () =>
      Sentry.startSpan({ name: "as JSON", op: "task", attributes: { a: 1 } }, (span) =>
        jsonOf(span),
      ),
  },
  {
    name: "spanToStaticSpanJSON",
    run: () =>
      Sentry.startSpan({ name: "as static JSON", op: "task", attributes: { a: 1 } }, (span) => {
        const { description, op, origin, data } = Sentry.spanToStaticSpanJSON(span);
        return { description, op, origin, a: data.a };
      }),
  },
  { name: "spanToJSON of null", run: () => Sentry.spanToJSON(wrong(null)) },
  {
    name: "spanToTraceHeader",
    run: () => {
      const span = Sentry.startInactiveSpan({ name: "for a header" });
      const header = Sentry.spanToTraceHeader(span);
      span.end();
      const { traceId: id, spanId } = span.spanContext();
      return header === `${id}-${spanId}-1`;
    },
  },
  {
    name: "spanToBaggageHeader",
    run: () =>
      Sentry.startNewTrace(() =>
        Sentry.startSpan({ name: "for baggage", forceTransaction: true }, (span) =>
          namesOf(Sentry.spanToBaggageHeader(span)),
        ),
      ),
  },
  {
    name: "getTraceData in a span",
    run: () =>
      Sentry.startSpan({ name: "for trace data" }, (span) => {
        const { "sentry-trace": header, baggage: list } = Sentry.getTraceData();
        return [header?.startsWith(span.spanContext().traceId), typeof list];
      }),
  },
  {
    name: "getTraceData",
    run: () => {
      const data = Sentry.getTraceData();
      return [Object.keys(data).sort(), data["sentry-trace"]?.length];
    },
  },
  {
    name: "getTraceData with traceparent",
    run: () => Object.keys(Sentry.getTraceData({ propagateTraceparent: true })).sort(),
  },
  {
    name: "getTraceMetaTags",
    in: server,
    run: () => Sentry.getTraceMetaTags().match(/name="[\w-]+"/g),
  },
  {
    name: "setMeasurement",
    run: () =>
      Sentry.startNewTrace(() =>
        Sentry.startSpan({ name: "measured", forceTransaction: true }, () =>
          Sentry.setMeasurement("memory", 17, "megabyte"),
        ),
      ),
  },
  {
    name: "setMeasurement outside of a span",
    run: () => Sentry.withActiveSpan(null, () => Sentry.setMeasurement("nothing", 1, "none")),
  },
  {
    name: "setMeasurement of a span that is given",
    run: () => {
      const span = Sentry.startInactiveSpan({ name: "measured itself", forceTransaction: true });
      Sentry.setMeasurement("itself", 3, "second", span);
      span.end();
    },
  },
  {
    name: "setHttpStatus",
    run: () =>
      Sentry.startSpan({ name: "with a status of HTTP" }, (span) =>
        Sentry.setHttpStatus(span, 404),
      ),
  },
  {
    name: "getSpanStatusFromHttpCode",
    run: () => [200, 302, 400, 404, 429, 500, 503, 0].map(Sentry.getSpanStatusFromHttpCode),
  },
  {
    name: "withStaticSpan and withStreamedSpan",
    run: () => [
      typeof Sentry.withStaticSpan((span) => span),
      typeof Sentry.withStreamedSpan((span) => span),
    ],
  },
  {
    name: "the names of Sentry's attributes",
    run: () => [
      Sentry.SEMANTIC_ATTRIBUTE_SENTRY_OP,
      Sentry.SEMANTIC_ATTRIBUTE_SENTRY_ORIGIN,
      Sentry.SEMANTIC_ATTRIBUTE_SENTRY_SAMPLE_RATE,
    ],
  },
  {
    name: "startSpan with an origin and an op as attributes",
    run: () =>
      Sentry.startSpan(
        {
          name: "with an origin",
          attributes: {
            [Sentry.SEMANTIC_ATTRIBUTE_SENTRY_OP]: "db.query",
            [Sentry.SEMANTIC_ATTRIBUTE_SENTRY_ORIGIN]: "auto.db.ours",
          },
        },
        () => {},
      ),
  },
  {
    name: "reportPageLoaded",
    in: browser,
    run: () => Sentry.reportPageLoaded(),
  },
  {
    name: "startBrowserTracingNavigationSpan",
    in: browser,
    alone: true,
    run: () => {
      const client = Sentry.getClient();
      const span = client && Sentry.startBrowserTracingNavigationSpan(client, { name: "/by/hand" });
      span?.end();
      return typeof span;
    },
  },
  {
    name: "startBrowserTracingPageLoadSpan",
    in: browser,
    alone: true,
    run: () => {
      const client = Sentry.getClient();
      const span = client && Sentry.startBrowserTracingPageLoadSpan(client, { name: "/by/hand" });
      span?.end();
      return typeof span;
    },
  },
  {
    name: "registerSpanErrorInstrumentation",
    in: browser,
    run: () => Sentry.registerSpanErrorInstrumentation(),
  },
];

function namesOf(header: string | undefined): string[] | undefined {
  return header
    ?.split(",")
    .map((entry) => entry.split("=")[0] ?? "")
    .sort();
}
