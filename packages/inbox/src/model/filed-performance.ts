import type { Origin } from "@signpost/relay/store";
import { type Driver, type Value, Values } from "@signpost/relay/store";
import { type Metric, type Vital, vitals } from "./measurements.ts";
import type { ReleaseHealth } from "./sessions.ts";

interface VitalSummary {
  vital: Vital;
  count: number;
  /** Milliseconds; CLS has no unit. */
  p75: number;
}

export interface RequestSummary {
  count: number;
  /** Milliseconds. */
  p50: number;
  p75: number;
  p95: number;
  /** Answered with a server error, 0 to 1. */
  failureRate: number;
}

export interface RoutePerformance {
  route: string;
  /** In the order of `vitals`, without those that nobody measured. */
  vitals: VitalSummary[];
  requests: RequestSummary | undefined;
  visits: number;
}

/** One page load, one navigation or one request: what somebody waited for. */
export interface Visit {
  traceId: string;
  reportId: number;
  route: string;
  origin: Origin;
  /** Milliseconds. */
  duration: number;
  /** When it began, in milliseconds since the epoch by this server's clock. */
  at: number;
}

/** What somebody waited for in one trace. */
interface VisitsOfTrace {
  /** In order of arrival. */
  visits: readonly [Visit, ...Visit[]];
  left: number;
}

/** Visits that are listed, and those read for that: a trace may have several. */
const maxSlowest = 20;
const maxSlowestRead = 400;
/** Metrics of routes whose percentiles one statement looks up. */
const maxTogether = 20;

/**
 * Reads the measurements that were filed. All promises may reject with an OutboxError. A percentile is a
 * lookup in an index: nothing is sorted.
 */
export class FiledPerformance {
  constructor(private readonly driver: Pick<Driver, "read">) {}

  /** Sessions of each release, the one of the latest session first. */
  releases(limit: number): Promise<ReleaseHealth[]> {
    const sum = (name: string) => `cast(sum(${name}) as bigint) as ${name}`;
    return this.driver.read<ReleaseHealth>({
      text: `select release, ${["started", "errored", "crashed"].map(sum).join(", ")},
          max(hour) as "lastHour"
        from {sessions} group by release order by "lastHour" desc, release limit $1`,
      values: [limit],
    });
  }

  async count(): Promise<number> {
    const [found] = await this.driver.read<{ count: number }>({
      text: "select count(*) as count from {routes}",
    });
    return found?.count ?? 0;
  }

  async page({ limit, offset }: { limit: number; offset: number }): Promise<RoutePerformance[]> {
    const found = await this.driver.read<{ route: string }>({
      text: "select route from {routes} order by quantity desc, route limit $1 offset $2",
      values: [limit, offset],
    });
    return this.#summaries(found.map(({ route }) => route));
  }

  /** @returns nothing where nothing is kept of the route */
  async route(name: string): Promise<RoutePerformance | undefined> {
    return (await this.#summaries([name]))[0];
  }

  /** The slowest visits of a route, of each trace the slowest part. */
  async slowest(route: string): Promise<Visit[]> {
    const slowest = await this.#visits(
      `route = $1 order by value desc, report_id limit ${maxSlowestRead}`,
      [route],
    );
    const ofTraces = new Map<string, Visit>();
    for (const visit of slowest) {
      if (!ofTraces.has(visit.traceId)) ofTraces.set(visit.traceId, visit);
    }
    return [...ofTraces.values()].slice(0, maxSlowest);
  }

  /** @returns nothing where no visit is kept of the trace */
  async visitsOfTrace(traceId: string, limit: number): Promise<VisitsOfTrace | undefined> {
    const found = await this.#visits("trace_id = $1 order by report_id, position limit $2", [
      traceId,
      limit,
    ]);
    const [first, ...others] = found;
    return first && { visits: [first, ...others], left: first.total - found.length };
  }

  async #visits(condition: string, values: Value[]): Promise<(Visit & { total: number })[]> {
    return this.driver.read({
      text: `select trace_id as "traceId", report_id as "reportId", route, origin, value as duration,
          seen_at as at, count(*) over () as total
        from {measurements} where metric = 'visit' and ${condition}`,
      values,
    });
  }

  async #summaries(routes: readonly string[]): Promise<RoutePerformance[]> {
    const all = await this.#percentiles(await this.#counts(routes));
    return routes.flatMap((route) => {
      const its = all.filter((one) => one.route === route);
      const of = (metric: Metric) => its.find((one) => one.metric === metric);
      const summary = {
        route,
        vitals: vitals.flatMap((vital) => {
          const { count = 0, p75 = null } = of(vital) ?? {};
          return p75 === null ? [] : [{ vital, count, p75 }];
        }),
        requests: requestSummary(of("request")),
        visits: of("visit")?.count ?? 0,
      };
      return its.length > 0 ? [summary] : [];
    });
  }

  async #counts(routes: readonly string[]): Promise<Counted[]> {
    if (routes.length === 0) return [];
    const values = new Values();
    return this.driver.read<Counted>({
      text: `select route, metric, count(*) as count, cast(sum(failed) as integer) as failures
        from {measurements} where route in (${values.list(routes)}) group by route, metric`,
      values: values.all,
    });
  }

  async #percentiles(counted: readonly Counted[]): Promise<Measured[]> {
    const found: Measured[] = [];
    for (let from = 0; from < counted.length; from += maxTogether) {
      const some = counted.slice(from, from + maxTogether);
      const values = new Values();
      const columns = (one: Counted) =>
        percentiles.map(([name, share, metrics]) =>
          metrics.includes(one.metric)
            ? `(${valueAt(share, one, values)}) as ${name}`
            : `cast(null as double precision) as ${name}`,
        );
      const rows = await this.driver.read<Percentiles & { i: number }>({
        text: some.map((one, i) => `select ${i} as i, ${columns(one)}`).join(" union all "),
        values: values.all,
      });
      found.push(...rows.flatMap(({ i, ...its }) => (some[i] ? [{ ...some[i], ...its }] : [])));
    }
    return found;
  }
}

interface Counted {
  route: string;
  metric: Metric;
  count: number;
  failures: number;
}

/** Null where nobody asks for it, or the rows have been removed since they were counted. */
type Percentiles = Record<"p50" | "p75" | "p95", number | null>;
type Measured = Counted & Percentiles;

/** Which share of all values is not greater, and of which metrics it is shown. */
const percentiles: [name: keyof Percentiles, share: number, of: readonly Metric[]][] = [
  ["p50", 0.5, ["request"]],
  ["p75", 0.75, [...vitals, "request"]],
  ["p95", 0.95, ["request"]],
];

/** The nearest-rank percentile, one of the values. Read from the nearer end of the index. */
function valueAt(share: number, { route, metric, count }: Counted, values: Values): string {
  const before = Math.max(Math.ceil(share * count), 1) - 1;
  const after = count - 1 - before;
  return `select value from {measurements}
    where route = ${values.add(route)} and metric = ${values.add(metric)}
    order by ${before <= after ? "value" : "value desc"} limit 1 offset ${Math.min(before, after)}`;
}

function requestSummary(measured: Measured | undefined): RequestSummary | undefined {
  if (!measured) return undefined;
  const { count, failures, p50, p75, p95 } = measured;
  if (p50 === null || p75 === null || p95 === null) return undefined;
  return { count, p50, p75, p95, failureRate: failures / count };
}
