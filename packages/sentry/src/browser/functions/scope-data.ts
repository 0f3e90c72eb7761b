import { type Breadcrumb, type Event, getGlobalScope } from "sentry-scopes";
import type { MinimalError, ReportedError } from "../first-load/error-queue.ts";

/** Characters of JSON for each part of what leaves without the SDK: it must be small. */
const maxLength = 5000;

/** The payload of a report that leaves without the SDK, with what its scopes and its capture tell. */
export function completed(payload: MinimalError, reported: ReportedError): MinimalError {
  const { event_id, thrown, contexts } = payload;
  const { captured, hint } = reported;
  const { mechanism = {} } = fittingPart({ mechanism: hint?.mechanism }, maxLength);
  let fields: Event = {};
  try {
    fields = scopeDataOf(reported);
  } catch {
    // What the app has given can't be read: the error goes without it.
  }
  return {
    ...payload,
    ...fields,
    thrown: captured ? undefined : { ...thrown, mechanism },
    contexts: { ...fields.contexts, ...contexts },
    event_id,
  };
}

function scopeDataOf({ captured, scopes }: ReportedError): Event {
  const { event, value, level } = captured ?? {};
  const own: Event = event ?? { level };
  const all = Object.values(scopes ?? [getGlobalScope()]).map((one) => one.getScopeData());
  const parts: (Event & { transactionName?: string | undefined })[] = [own, ...all];
  const list = (part: keyof Event | "transactionName") =>
    parts.flatMap<unknown>((one) => one[part] || []);
  // As the SDK merges them. What is the event's own comes first where there is little space.
  const merged = (part: "user" | "tags" | "extra" | "contexts") =>
    fittingPart(Object.assign({}, ...list(part), own[part]), maxLength);
  const fingerprint = list("fingerprint");
  // The last ones first, as long as they fit.
  const breadcrumbs = fittingPart(list("breadcrumbs").slice(-30).reverse(), maxLength);
  const data = {
    ...(event
      ? fittingPart(event, 8000)
      : { message: value === undefined ? undefined : String(value).slice(0, 8192) }),
    level: list("level").pop(),
    transaction: list("transactionName").pop(),
    fingerprint: fingerprint[0] ? fingerprint : undefined,
    user: { id: merged("user").id },
    tags: merged("tags"),
    extra: merged("extra"),
    contexts: merged("contexts"),
    breadcrumbs: Object.values(breadcrumbs).reverse() as Breadcrumb[],
  };
  // Without what JSON can't hold, such as a BigInt as the user's id.
  return fittingPart(data, 6 * maxLength) as Event;
}

/**
 * The properties that fit, in their order. For one that JSON can't hold there is none.
 *
 * @param left characters of JSON in all
 */
function fittingPart<T extends object>(record: T, left: number): Partial<T> {
  const fits = ([, property]: [string, unknown]) => {
    try {
      const json: string | undefined = JSON.stringify(property);
      if (json === undefined || json.length >= left) return false;
      left -= json.length;
      return true;
    } catch {
      return false;
    }
  };
  return Object.fromEntries(Object.entries(record).filter(fits)) as Partial<T>;
}
