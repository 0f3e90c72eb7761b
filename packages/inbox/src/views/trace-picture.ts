import { setImmediate as yieldToOthers } from "node:timers/promises";
import { readEnvelope } from "@signpost/relay/envelope";
import type { Origin, StoredReport } from "@signpost/relay/store";
import { fields, milliseconds, parseObject, text } from "../model/fields.ts";
import { type Vital, vitals, vitalValue } from "../model/measurements.ts";
import { childrenOf, readSpan, rootOf, type Span, spansIn } from "../model/spans.ts";

/** A span as it is drawn. */
export interface DrawnSpan extends Pick<Span, "op" | "name" | "failed"> {
  origin: Origin;
  /** How many spans it is inside of. */
  depth: number;
  /** Milliseconds since the begin of the picture; negative for what began before it. */
  start: number;
  /** Milliseconds. */
  duration: number;
}

/** What happened in a trace, in browser and server, on one axis of time. */
export interface TracePicture {
  /** The begin, in milliseconds since the epoch by this server's clock. */
  startAt: number;
  /** From the begin to the end of the last root, in milliseconds. */
  duration: number;
  /** How far the axis goes, in milliseconds: work goes on when a visit has ended. */
  axis: number;
  /** In the order they are drawn: each span before those inside of it. */
  spans: DrawnSpan[];
  /** How many spans are not drawn: the shortest, and those that began long after the visit. */
  left: number;
  vitals: { vital: Vital; value: number }[];
  release: string | undefined;
  environment: string | undefined;
}

type PlacedSpan = Span & { origin: Origin };

interface Found extends Partial<Pick<TracePicture, "release" | "environment">> {
  spans: PlacedSpan[];
  vitals: Map<Vital, number>;
}

/** Clients send any number of spans, nested to any depth. */
const max = { read: 5_000, drawn: 200, depth: 12 };
/** A browser's clock is believed unless it is off by more than delivery takes. */
const maxClockErrorMs = 2_000;
/**
 * Work goes on after a visit: as much time again as it took is shown of that, and no less than this.
 * With more, a short visit would be too small to be seen.
 */
const minAfterwardsMs = 500;

/**
 * @param reports each is read before the next is asked for, as one can be large
 * @returns nothing where the reports hold no root span of the trace
 */
export async function tracePicture(
  traceId: string,
  reports: AsyncIterable<StoredReport> | Iterable<StoredReport>,
): Promise<TracePicture | undefined> {
  const found: Found = { spans: [], vitals: new Map() };
  for await (const report of reports) {
    try {
      collect(traceId, report, found);
    } catch {
      // One that can't be read takes no other out of the picture.
    }
    await yieldToOthers();
  }
  const roots = found.spans.filter(({ isRoot }) => isRoot);
  if (roots.length === 0) return undefined;
  const startAt = roots.reduce((first, { start }) => Math.min(first, start), Number.MAX_VALUE);
  const endAt = lastEnd(roots);
  const shownUntil = endAt + Math.max(endAt - startAt, minAfterwardsMs);
  const drawn = longest(found.spans.filter(({ start }) => start < shownUntil));
  return {
    startAt,
    duration: endAt - startAt,
    axis: Math.min(lastEnd(drawn), shownUntil) - startAt,
    spans: inOrder(drawn).map(([{ op, name, origin, start, end, failed }, depth]) => ({
      op,
      name,
      origin,
      depth,
      start: start - startAt,
      duration: end - start,
      failed,
    })),
    left: found.spans.length - drawn.length,
    vitals: [...found.vitals].map(([vital, value]) => ({ vital, value })),
    release: found.release,
    environment: found.environment,
  };
}

function lastEnd(spans: readonly Span[]): number {
  return spans.reduce((last, { end }) => Math.max(last, end), 0);
}

function collect(traceId: string, report: StoredReport, found: Found): void {
  const envelope = readEnvelope(report.envelope);
  if ("fault" in envelope) return;
  const { origin } = report;
  const shift = clockError(report, milliseconds(envelope.header.sent_at));
  const add = (span: Span) => {
    if (found.spans.length >= max.read) return;
    found.spans.push({ ...span, start: span.start + shift, end: span.end + shift, origin });
  };
  for (const item of envelope.items) {
    if (item.type !== "span" && item.type !== "transaction") continue;
    if (found.spans.length >= max.read) return;
    const payload = parseObject(item.payload, item.type);
    if (!payload) continue;
    if (item.type === "span") {
      for (const one of spansIn(payload, max.read)) {
        const span = readSpan(one);
        if (span?.traceId === traceId) add(span);
      }
      continue;
    }
    const root = readSpan(rootOf(payload));
    if (root?.traceId !== traceId) continue;
    add(root);
    for (const one of childrenOf(payload, max.read)) {
      const span = readSpan(one, false);
      if (span) add(span);
    }
    found.release ??= text(payload.release);
    found.environment ??= text(payload.environment);
    for (const vital of vitals) {
      const value = vitalValue(vital, fields(fields(payload.measurements)[vital]).value);
      if (value !== undefined) found.vitals.set(vital, value);
    }
  }
}

/** How far the sender's clock is behind this server's, in milliseconds; 0 where it may be right. */
function clockError({ origin, receivedAt }: StoredReport, sentAt: number | undefined): number {
  if (origin === "server" || sentAt === undefined) return 0;
  const error = receivedAt - sentAt;
  return Math.abs(error) > maxClockErrorMs ? error : 0;
}

/** All roots, and as many of the others as can be drawn. */
function longest(spans: PlacedSpan[]): PlacedSpan[] {
  const importance = (one: PlacedSpan) => (one.isRoot ? Number.MAX_VALUE : one.end - one.start);
  return [...spans].sort((a, b) => importance(b) - importance(a)).slice(0, max.drawn);
}

/**
 * Each span before those inside of it, those of one level in the order they began. A browser's page
 * load names a request of the server as its parent. It began before that, so roots are never inside
 * of another span.
 */
function inOrder(spans: PlacedSpan[]): [PlacedSpan, depth: number][] {
  const known = new Set(spans.map(({ id }) => id));
  const inside = new Map<string | undefined, PlacedSpan[]>();
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const parent = span.isRoot || !known.has(span.parentId) ? undefined : span.parentId;
    inside.set(parent, [...(inside.get(parent) ?? []), span]);
  }
  const ordered: [PlacedSpan, number][] = [];
  const seen = new Set<PlacedSpan>();
  const add = (of: string | undefined, depth: number) => {
    for (const span of inside.get(of) ?? []) {
      if (seen.has(span)) continue;
      seen.add(span);
      ordered.push([span, Math.min(depth, max.depth)]);
      if (span.id !== undefined) add(span.id, depth + 1);
    }
  };
  add(undefined, 0);
  // Spans that are inside of each other have no begin to be reached from.
  for (const span of spans) if (!seen.has(span)) ordered.push([span, 0]);
  return ordered;
}
