import { type IsPrivate, privateNames } from "./private-names.ts";
import { isRecord, Scrubber, scrubText } from "./scrub.ts";

/**
 * Removes private data from everything that Sentry's SDK sends, in browser and server: cookies,
 * request headers, bodies, addresses, what has a private name, and the values in URLs. It is done
 * as the SDK hands an envelope to its transport, since every kind of item passes there (a replay
 * nowhere else), after the team's own hooks.
 *
 * No attachment is read, and no compressed recording of a replay.
 */

type Item = [header: { type?: unknown; length?: number }, payload: unknown];
type Envelope = [header: object, items: Item[]];

const isPrivateHere = privateNames([]);

/** @param makeTransport makes the transport that gets clean envelopes */
export function scrubbing<Options, Transport extends { send(envelope: never): unknown }>(
  makeTransport: (options: Options) => Transport,
  isPrivate: IsPrivate = isPrivateHere,
): (options: Options) => Transport {
  return (options) => {
    const transport = makeTransport(options);
    const send = (envelope: Parameters<Transport["send"]>[0]) =>
      transport.send(scrubEnvelope(envelope, isPrivate) as never);
    return { ...transport, send };
  };
}

/** @returns a clean copy of one of the SDK's envelopes */
function scrubEnvelope(envelope: unknown, isPrivate: IsPrivate): Envelope {
  const [header, items] = envelope as Envelope;
  const trace = (header as { trace?: unknown }).trace;
  return [
    trace ? { ...header, trace: new Scrubber(isPrivate).clean(trace) } : header,
    items.map(([itemHeader, payload]) => {
      const clean = scrubItem(String(itemHeader.type), payload, isPrivate);
      return [withLength(itemHeader, clean), clean];
    }),
  ];
}

/** The header says how long the text is if the SDK has counted it before, as in a replay's recording. */
function withLength(header: Item[0], payload: unknown): Item[0] {
  if (header.length === undefined || typeof payload !== "string") return header;
  return { ...header, length: new TextEncoder().encode(payload).length };
}

/**
 * @param type of the item, as its header has it
 * @param maxValues see `Scrubber`
 * @returns a clean copy of its payload
 */
export function scrubItem<Payload>(
  type: string,
  payload: Payload,
  isPrivate: IsPrivate = isPrivateHere,
  maxValues?: number,
): Payload {
  const scrub = scrubbers.get(type) ?? scrubData;
  return scrub(payload, new Scrubber(isPrivate, maxValues)) as Payload;
}

type Scrub = (payload: unknown, scrubber: Scrubber) => unknown;

/** By item type; all others are plain data. */
const scrubbers: ReadonlyMap<string, Scrub> = new Map<string, Scrub>([
  ["event", scrubEvent],
  ["transaction", scrubEvent],
  ["feedback", scrubEvent],
  ["replay_event", scrubEvent],
  ["log", scrubLogs],
  ["session", scrubSession],
  ["sessions", scrubSession],
  ["replay_recording", scrubRecording],
  ["attachment", (payload) => payload],
  ["client_report", (payload) => payload],
]);

/** What remains of an event's `request`. The rest has types that `[Filtered]` does not fit. */
const requestParts = ["method", "url", "query_string"];

function scrubEvent(event: unknown, scrubber: Scrubber): unknown {
  const { request, user, sdk, ...rest } = event as Record<string, unknown>;
  const copy = scrubber.clean(rest) as Record<string, unknown>;
  if (sdk !== undefined) copy.sdk = sdk;
  if (isRecord(request)) {
    const kept = Object.entries(request).filter(([part]) => requestParts.includes(part));
    copy.request = scrubber.clean(Object.fromEntries(kept), "request");
  }
  if (isRecord(user)) {
    const { id, ...others } = user;
    const cleaned = scrubber.clean(others, "user") as Record<string, unknown>;
    if (id !== undefined) cleaned.id = id;
    if (Object.keys(cleaned).length > 0) copy.user = cleaned;
  }
  return copy;
}

/** A log's `body` is its text. */
function scrubLogs(container: unknown, scrubber: Scrubber): unknown {
  if (!isRecord(container) || !Array.isArray(container.items)) return scrubber.clean(container);
  const items = container.items.map(({ body, ...rest }) => ({
    ...(scrubber.clean(rest) as object),
    body: typeof body === "string" ? scrubText(body) : undefined,
  }));
  return { ...container, items };
}

/** The SDK's `did` may be the user's e-mail address, and its `attrs` the visitor's own address. */
function scrubSession(session: unknown, scrubber: Scrubber): unknown {
  if (!isRecord(session)) return session;
  const { did: _, attrs, aggregates, ...rest } = session;
  const { release, environment } = (attrs ?? {}) as Record<string, unknown>;
  return {
    ...(scrubber.clean(rest) as object),
    attrs: { release, environment },
    ...(Array.isArray(aggregates) && {
      aggregates: aggregates.map(({ did: __, ...counts }) => counts),
    }),
  };
}

/** The types of rrweb's events that hold the page's URL and Sentry's own data, not the picture. */
const recordedData = new Set([4, 5]);

/**
 * Scrubs the addresses of links and forms in a recorded page: they often hold the page's own query.
 * Those of styles and images stay, since the recording needs them.
 */
function scrubLink(_name: string, value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value.attributes)) return value;
  const { tagName, attributes } = value;
  if (tagName !== undefined && !["a", "area", "form"].includes(String(tagName))) return value;
  for (const name of ["href", "action"]) {
    const address = attributes[name];
    if (typeof address === "string") attributes[name] = scrubText(address);
  }
  return value;
}

/** A line with the number of the segment, then a list of events. */
function scrubRecording(payload: unknown, scrubber: Scrubber): unknown {
  if (typeof payload !== "string") return payload;
  const end = payload.indexOf("\n") + 1;
  try {
    const events: unknown = JSON.parse(payload.slice(end), scrubLink);
    if (!Array.isArray(events)) return payload;
    const clean = events.map((event) =>
      recordedData.has(event?.type) ? scrubber.clean(event) : event,
    );
    return payload.slice(0, end) + JSON.stringify(clean);
  } catch {
    // Not the format that is known: its texts may hold URLs.
    return scrubText(payload);
  }
}

/** Check-ins, metrics, spans, profiles, and kinds to come. Bytes stay as they are. */
function scrubData(payload: unknown, scrubber: Scrubber): unknown {
  return payload instanceof Uint8Array ? payload : scrubber.clean(payload);
}
