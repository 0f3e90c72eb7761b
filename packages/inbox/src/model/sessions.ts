import {
  type Fields,
  fields,
  list,
  milliseconds,
  number,
  type ReportContext,
  serverTime,
  text,
} from "./fields.ts";

/** Sessions of one release that began in one hour. */
export interface SessionCounts {
  release: string;
  /** When the hour began, in milliseconds since the epoch by this server's clock. */
  hour: number;
  /** All of them, those below included. */
  started: number;
  errored: number;
  crashed: number;
}

/** All sessions of a release that are kept. */
export interface ReleaseHealth extends Omit<SessionCounts, "hour"> {
  /** The last hour in which one began. */
  lastHour: number;
}

const hourMs = 3_600_000;
/** A server sends one each minute, and Sentry's SDKs a few. */
const maxAggregates = 100;
/** More than a server serves in an hour. */
const maxCount = 1e9;

/**
 * Reads a `sessions` item: what a server has counted, as counts for each hour. What a browser sends
 * counts nothing, since it could be any number.
 * Source: https://develop.sentry.dev/sdk/telemetry/sessions/#session-aggregates-payload
 *
 * @returns none where the item names no release
 */
export function readSessions(payload: Fields, context: ReportContext): SessionCounts[] {
  const release = text(fields(payload.attrs).release);
  if (release === undefined || context.origin !== "server") return [];
  const hours = new Map<number, SessionCounts>();
  for (const aggregate of list(payload.aggregates).slice(0, maxAggregates)) {
    const { started: begun, ...counts } = fields(aggregate);
    const at = serverTime(milliseconds(begun), context);
    const hour = at - (at % hourMs);
    const sum = hours.get(hour) ?? { release, hour, started: 0, errored: 0, crashed: 0 };
    const [healthy, errored] = [count(counts.exited), count(counts.errored)];
    const crashed = count(counts.crashed) + count(counts.unhandled) + count(counts.abnormal);
    sum.started += healthy + errored + crashed;
    sum.errored += errored;
    sum.crashed += crashed;
    if (sum.started > 0) hours.set(hour, sum);
  }
  return [...hours.values()];
}

function count(value: unknown): number {
  const found = number(value, 0, maxCount) ?? 0;
  return Number.isInteger(found) ? found : 0;
}
