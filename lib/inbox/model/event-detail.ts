import { readEnvelope } from "@/lib/envelope/read-envelope";
import type { StoredReport } from "@/lib/outbox/outbox";
import { exceptionsOf, fileOf, framesOf } from "./error-records";
import {
  eventId,
  type Fields,
  fields,
  list,
  milliseconds,
  parseObject,
  position,
  text,
} from "./fields";

export interface Frame {
  function: string | undefined;
  /** `file:line:column`, without the parts that are not known. */
  place: string;
  /** Code of the app itself, not of a library. */
  own: boolean;
  /** Lines of source code, where they are known. */
  source: SourceLines | undefined;
}

export interface SourceLines {
  before: string[];
  line: string;
  after: string[];
  /** Of `line`, from 1. */
  number: number | undefined;
}

export interface ReportedException {
  type: string;
  message: string;
  /** Newest call first. */
  frames: Frame[];
}

export interface Breadcrumb {
  /** Milliseconds since the epoch by the client's clock. */
  at: number | undefined;
  category: string | undefined;
  level: string | undefined;
  message: string | undefined;
  data: Pair[];
}

export type Pair = [name: string, value: string];

/** One event as its page shows it. */
export interface EventDetail {
  eventId: string;
  level: string | undefined;
  /** Method and URL of the request, where the report has them. */
  request: string | undefined;
  /** Whether the app caught the exception; nothing where the report doesn't say. */
  handled: boolean | undefined;
  /** The reported exception, then its causes. */
  exceptions: ReportedException[];
  /** Oldest first. */
  breadcrumbs: Breadcrumb[];
  tags: Pair[];
  /** The user first, then contexts, then what was set as `extra`. */
  contexts: { name: string; entries: Pair[] }[];
}

/** The SDKs send no more than this; an envelope from elsewhere may. */
const max = { exceptions: 10, frames: 100, breadcrumbs: 100, pairs: 60, contexts: 20 };

/** An event, and the JSON that it was read from. */
interface FoundEvent {
  event: Fields;
  payload: Uint8Array;
}

/** @returns the event with this id, or nothing if the report doesn't hold it */
export function findEvent(report: StoredReport, id: string): FoundEvent | undefined {
  const envelope = readEnvelope(report.envelope);
  if ("fault" in envelope) return undefined;
  const headerId = eventId(envelope.header.event_id);
  for (const item of envelope.items) {
    if (item.type !== "event") continue;
    const event = parseObject(item.payload, item.type);
    if (event && (eventId(event.event_id) ?? headerId) === id) {
      return { event, payload: item.payload };
    }
  }
  return undefined;
}

export function eventDetail(id: string, event: Fields): EventDetail {
  const chain = exceptionsOf(event).reverse().slice(0, max.exceptions);
  const contexts = fields(event.contexts);
  const request = fields(event.request);
  const crumbs = Array.isArray(event.breadcrumbs)
    ? event.breadcrumbs
    : list(fields(event.breadcrumbs).values);
  return {
    eventId: id,
    level: text(event.level),
    request: [text(request.method), text(request.url, 500)].filter(Boolean).join(" ") || undefined,
    handled: handledOf(chain),
    exceptions: chain.map(exception),
    breadcrumbs: crumbs.slice(-max.breadcrumbs).map((crumb) => breadcrumb(fields(crumb))),
    tags: tagsOf(event.tags),
    contexts: contextsOf({ user: event.user, ...contexts, extra: event.extra }),
  };
}

function contextsOf(contexts: Fields): EventDetail["contexts"] {
  const found: EventDetail["contexts"] = [];
  for (const [name, context] of Object.entries(contexts)) {
    if (found.length === max.contexts) break;
    const entries = ["trace", "feedback"].includes(name) ? [] : pairs(context);
    if (entries.length > 0) found.push({ name: text(name) ?? "", entries });
  }
  return found;
}

/** Any exception of the chain may say it, and the reported one often has only a default. */
function handledOf(chain: Fields[]): boolean | undefined {
  const values = chain.map((one) => fields(one.mechanism).handled);
  if (values.includes(false)) return false;
  return values.includes(true) ? true : undefined;
}

function exception(thrown: Fields): ReportedException {
  return {
    type: text(thrown.type) ?? "Error",
    message: text(thrown.value, 5000) ?? "",
    frames: framesOf(thrown).slice(0, max.frames).map(frame),
  };
}

function frame(one: Fields): Frame {
  const parts = [fileOf(one), text(position(one.lineno)), text(position(one.colno))];
  const line = codeLine(one.context_line);
  const lines = (value: unknown[]) => value.map((source) => codeLine(source) ?? "");
  return {
    function: text(one.function),
    place: parts.filter((part) => part !== undefined).join(":"),
    own: one.in_app === true,
    source:
      line === undefined
        ? undefined
        : {
            before: lines(list(one.pre_context).slice(-5)),
            line,
            after: lines(list(one.post_context).slice(0, 5)),
            number: position(one.lineno),
          },
  };
}

/** Nothing where there is no line; a blank one is the empty string. */
function codeLine(value: unknown): string | undefined {
  return value === "" ? "" : text(value, 500);
}

function breadcrumb(crumb: Fields): Breadcrumb {
  return {
    at: milliseconds(crumb.timestamp),
    category: text(crumb.category) ?? text(crumb.type),
    level: text(crumb.level),
    message: text(crumb.message, 1000),
    data: pairs(crumb.data),
  };
}

/** Tags come as an object or as a list of pairs. */
function tagsOf(tags: unknown): Pair[] {
  if (!Array.isArray(tags)) return pairs(tags);
  return pairs(Object.fromEntries(tags.map((tag) => [text(list(tag)[0]) ?? "", list(tag)[1]])));
}

function pairs(value: unknown): Pair[] {
  const found: Pair[] = [];
  for (const [name, one] of Object.entries(fields(value))) {
    if (found.length === max.pairs) break;
    const pair: Pair = [text(name) ?? "", shown(one)];
    if (!pair.includes("")) found.push(pair);
  }
  return found;
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return "";
  return text(typeof value === "object" ? JSON.stringify(shallow(value, 3)) : value, 1000) ?? "";
}

/** Values may be nested to any depth; deeper levels become an ellipsis. */
function shallow(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return "…";
  if (Array.isArray(value)) return value.map((one) => shallow(one, levels - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, shallow(one, levels - 1)]),
  );
}
