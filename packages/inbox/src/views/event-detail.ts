import { type Frame, shownExceptions, shownFrames } from "../model/events.ts";
import { type Fields, fields, list, milliseconds, text } from "../model/fields.ts";

interface ReportedException {
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

type Pair = [name: string, value: string];

/** One event as its page shows it. */
export interface EventDetail {
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
const max = { breadcrumbs: 100, pairs: 60, contexts: 20 };

export function eventDetail(event: Fields): EventDetail {
  const chain = shownExceptions(event);
  const contexts = fields(event.contexts);
  const request = fields(event.request);
  const crumbs = Array.isArray(event.breadcrumbs)
    ? event.breadcrumbs
    : list(fields(event.breadcrumbs).values);
  return {
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
  return Object.entries(contexts)
    .filter(([name]) => name !== "trace" && name !== "feedback")
    .slice(0, max.contexts)
    .map(([name, context]) => ({ name: text(name) ?? "", entries: pairs(context) }))
    .filter(({ entries }) => entries.length > 0);
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
    frames: shownFrames(thrown),
  };
}

function breadcrumb(crumb: Fields): Breadcrumb {
  const category = text(crumb.category) ?? text(crumb.type);
  // The SDK repeats category and message of what is written to the console, and marks requests for itself.
  const repeated = [category, JSON.stringify([crumb.message])];
  return {
    at: milliseconds(crumb.timestamp),
    category,
    level: text(crumb.level),
    message: text(crumb.message, 1000),
    data: pairs(crumb.data).filter(
      ([name, value]) => name !== "__span" && !repeated.includes(value),
    ),
  };
}

/** Tags come as an object or as a list of pairs. */
function tagsOf(tags: unknown): Pair[] {
  if (!Array.isArray(tags)) return pairs(tags);
  return pairs(Object.fromEntries(tags.map((tag) => [text(list(tag)[0]) ?? "", list(tag)[1]])));
}

function pairs(value: unknown): Pair[] {
  return Object.entries(fields(value))
    .slice(0, max.pairs)
    .map(([name, one]): Pair => [text(name) ?? "", shown(one)])
    .filter((pair) => !pair.includes(""));
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
