import { z } from "zod";

/**
 * What Sentry's protocol names as required or non-empty, and what this app promises for each of its
 * reports. A field that is not named here may be anything.
 * Source: https://develop.sentry.dev/sdk/data-model/envelopes/,
 * https://develop.sentry.dev/sdk/data-model/event-payloads/
 */

const eventId = z.string().regex(/^[0-9a-f]{32}$/);
const spanId = z.string().regex(/^[0-9a-f]{16}$/);
const filled = z.string().min(1);
const time = z.union([z.number().positive(), z.iso.datetime()]);

/** https://develop.sentry.dev/sdk/data-model/event-payloads/#required-attributes */
const event = z.object({
  event_id: eventId,
  timestamp: time,
  platform: z.enum(["javascript", "node"]),
  // The app's own promise: reports of each environment can be told apart.
  release: filled,
  environment: filled,
  level: z.enum(["fatal", "error", "warning", "info", "debug"]).optional(),
  transaction: filled.optional(),
  fingerprint: z.array(filled).min(1).optional(),
  request: z.object({ url: filled }).optional(),
  sdk: z.object({ name: filled, version: filled }).optional(),
  breadcrumbs: z.array(z.object({ timestamp: time })).optional(),
});

/** https://develop.sentry.dev/sdk/data-model/event-payloads/contexts/#trace-context */
const trace = z.object({ trace_id: eventId, span_id: spanId, parent_span_id: spanId.optional() });

/** https://develop.sentry.dev/sdk/data-model/event-payloads/stacktrace/ */
const stacktrace = z.object({
  frames: z
    .array(
      // Code that was evaluated has no file.
      z
        .object({ filename: z.string().optional(), function: z.string().optional() })
        .refine((frame) => frame.filename || frame.function, "needs a file or a function"),
    )
    .min(1),
});

/** https://develop.sentry.dev/sdk/data-model/event-payloads/exception/ */
const errorEvent = event.extend({
  exception: z.object({
    values: z
      .array(
        z
          .object({
            type: z.string().optional(),
            value: z.string().optional(),
            mechanism: z.object({ type: filled, handled: z.boolean().optional() }).optional(),
            stacktrace: stacktrace.optional(),
          })
          .refine(({ type, value }) => type || value, "needs a type or a value"),
      )
      .min(1),
  }),
  contexts: z.object({ trace: trace.optional() }).optional(),
});

/** https://develop.sentry.dev/sdk/data-model/event-payloads/span/ */
const span = trace.extend({ start_timestamp: time, timestamp: time });

/** Spans that are sent by themselves: https://develop.sentry.dev/sdk/telemetry/spans/span-protocol/ */
const spans = z.object({
  version: z.literal(2),
  items: z.array(trace.extend({ name: filled, start_timestamp: time, end_timestamp: time })).min(1),
});

/** https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/ */
const transaction = event
  .extend({
    type: z.literal("transaction"),
    transaction: filled,
    transaction_info: z.object({ source: z.literal("route") }),
    start_timestamp: z.number().positive(),
    timestamp: z.number().positive(),
    contexts: z.object({ trace: trace.extend({ op: filled }) }),
    spans: z.array(span),
    measurements: z
      .record(filled, z.object({ value: z.number(), unit: z.string().optional() }))
      .optional(),
  })
  .refine((one) => one.start_timestamp <= one.timestamp, "must end after it begins");

/** https://develop.sentry.dev/sdk/telemetry/feedbacks/ */
const feedback = event.extend({
  contexts: z.object({
    feedback: z.object({ message: filled, associated_event_id: eventId.optional() }),
  }),
});

/** https://develop.sentry.dev/sdk/telemetry/client-reports/ */
const clientReport = z.object({
  timestamp: time,
  discarded_events: z
    .array(z.object({ reason: filled, category: filled, quantity: z.int().positive() }))
    .min(1),
});

const count = z.int().nonnegative();

/** https://develop.sentry.dev/sdk/telemetry/sessions/#session-aggregates-payload */
const sessions = z.object({
  attrs: z.object({ release: filled, environment: filled }),
  aggregates: z
    .array(
      z
        .object({ started: z.iso.datetime(), exited: count, errored: count, crashed: count })
        .refine((one) => one.exited + one.errored + one.crashed > 0, "needs a session"),
    )
    .min(1),
});

const payloads: Record<string, z.ZodType> = {
  event: errorEvent,
  transaction,
  span: spans,
  feedback,
  client_report: clientReport,
  sessions,
};

/** The ids are required for items that make an event, a trace only where one is told of. */
const header = z.object({
  sent_at: z.iso.datetime().optional(),
  trace: z.object({ trace_id: eventId, public_key: filled }).optional(),
});
const headerOfEvent = header.extend({ event_id: eventId });

/**
 * @returns what is wrong with an item as it arrives at the service, in words; empty if nothing is.
 *   An item type that is not in the list is a fault.
 */
export function faultsOf(
  envelopeHeader: Record<string, unknown>,
  type: string,
  payload: unknown,
): string[] {
  const schema = payloads[type];
  if (!schema) return [`An item of type ${type} has no schema.`];
  const makesEvent = ["event", "transaction", "feedback"].includes(type);
  const results = [
    (makesEvent ? headerOfEvent : header).safeParse(envelopeHeader),
    schema.safeParse(payload),
  ];
  return results.flatMap(({ error }) =>
    (error?.issues ?? []).map(({ path, message }) => `${type}: ${path.join(".")}: ${message}`),
  );
}
