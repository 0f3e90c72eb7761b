import { type Rows, Values } from "@/lib/outbox/rows";
import type { Visit } from "./measurements";
import { type Vital, vitals } from "./vitals";

interface VitalSummary {
  vital: Vital;
  /** Number of visits that measured it. */
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
  /** Share of requests answered with a server error, 0 to 1. */
  failureRate: number;
}

export interface RoutePerformance {
  route: string;
  /** In the order of `vitals`, without those that nobody measured. */
  vitals: VitalSummary[];
  requests: RequestSummary | undefined;
  /** Number of its visits. */
  visits: number;
}

/** What somebody waited for in one trace. */
export interface VisitsOfTrace {
  /** In order of arrival. */
  visits: readonly [Visit, ...Visit[]];
  /** Number of those that are not among them. */
  left: number;
}

/** What a row of `measurements` is: its value is in milliseconds, that of CLS has no unit. */
export type Metric = Vital | "request" | "visit";

/** Visits of a route that are listed, and those read for that: a trace may have several. */
const maxSlowest = 20;
const maxSlowestRead = 400;
/** Values that one statement looks up. */
const maxLookups = 40;

/**
 * Reads the measurements that a `Filer` has filed. All promises may reject with an OutboxError.
 *
 * A percentile is a lookup in an index: nothing is sorted, and no more than the number of rows of
 * each metric is read at once.
 */
export class FiledPerformance {
  constructor(private readonly rows: Rows) {}

  /** @returns the number of routes */
  async count(): Promise<number> {
    const [found] = await this.rows.select<{ count: number }>({
      text: "select count(*) as count from {routes}",
    });
    return found?.count ?? 0;
  }

  /** Those with the most measurements first. */
  async page({ limit, offset }: { limit: number; offset: number }): Promise<RoutePerformance[]> {
    const found = await this.rows.select<{ route: string }>({
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
    const values = new Values();
    const slowest = await this.#visits(
      `route = ${values.add(route)} order by value desc, report_id limit ${maxSlowestRead}`,
      values,
    );
    const ofTraces = new Map<string, Visit>();
    for (const visit of slowest) {
      if (!ofTraces.has(visit.traceId)) ofTraces.set(visit.traceId, visit);
    }
    return [...ofTraces.values()].slice(0, maxSlowest);
  }

  /** @returns nothing where no visit is kept of the trace */
  async visitsOfTrace(traceId: string, limit: number): Promise<VisitsOfTrace | undefined> {
    const values = new Values();
    const of = `trace_id = ${values.add(traceId)}`;
    const found = await this.#visits(
      `${of} order by report_id, position limit ${values.add(limit)}`,
      values,
    );
    const [first, ...others] = found;
    return first && { visits: [first, ...others], left: (found[0]?.total ?? 0) - found.length };
  }

  async #visits(condition: string, values: Values): Promise<(Visit & { total: number })[]> {
    return this.rows.select({
      text: `select trace_id as "traceId", report_id as "reportId", route, origin, value as duration,
          seen_at as at, count(*) over () as total
        from {measurements} where metric = 'visit' and ${condition}`,
      values: values.all,
    });
  }

  async #summaries(routes: readonly string[]): Promise<RoutePerformance[]> {
    const counts = await this.#counts(routes);
    const percentiles = await this.#percentiles(
      counts.flatMap(({ route, metric, count }) =>
        sharesOf(metric).map((share) => ({ route, metric, share, count })),
      ),
    );
    return routes.flatMap((route) => {
      const its = counts.filter((one) => one.route === route);
      const of = (metric: Metric) => its.find((one) => one.metric === metric);
      const percentile = (metric: Metric, share: number) =>
        percentiles.get(keyOf({ route, metric, share }));
      const summary = {
        route,
        vitals: vitals.flatMap((vital) => {
          const p75 = percentile(vital, 0.75);
          return p75 === undefined ? [] : [{ vital, count: of(vital)?.count ?? 0, p75 }];
        }),
        requests: summarizeRequests(of("request"), (share) => percentile("request", share)),
        visits: of("visit")?.count ?? 0,
      };
      return its.length > 0 ? [summary] : [];
    });
  }

  async #counts(routes: readonly string[]): Promise<MetricCount[]> {
    if (routes.length === 0) return [];
    const values = new Values();
    return this.rows.select<MetricCount>({
      text: `select route, metric, count(*) as count, cast(sum(failed) as integer) as failures
        from {measurements} where route in (${values.list(routes)}) group by route, metric`,
      values: values.all,
    });
  }

  async #percentiles(wanted: readonly Lookup[]): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    for (let from = 0; from < wanted.length; from += maxLookups) {
      const some = wanted.slice(from, from + maxLookups);
      const values = new Values();
      const rows = await this.rows.select<{ i: number; value: number | null }>({
        text: some
          .map((lookup, i) => `select ${i} as i, (${valueAt(lookup, values)}) as value`)
          .join(" union all "),
        values: values.all,
      });
      for (const { i, value } of rows) {
        const lookup = some[i];
        if (lookup && value !== null) found.set(keyOf(lookup), value);
      }
    }
    return found;
  }
}

interface MetricCount {
  route: string;
  metric: Metric;
  count: number;
  failures: number;
}

interface Lookup {
  route: string;
  metric: Metric;
  /** Of the values that are not greater: over 0, up to 1. */
  share: number;
  /** Number of values. */
  count: number;
}

function sharesOf(metric: Metric): number[] {
  if (metric === "visit") return [];
  return metric === "request" ? [0.5, 0.75, 0.95] : [0.75];
}

function keyOf({ route, metric, share }: Omit<Lookup, "count">): string {
  return JSON.stringify([route, metric, share]);
}

/**
 * The nearest-rank percentile: the smallest value that is not exceeded by at least this share of
 * all values. It is always one of the values. Read from the nearer end of the index.
 */
function valueAt({ route, metric, share, count }: Lookup, values: Values): string {
  const before = nearestRank(count, share) - 1;
  const after = count - 1 - before;
  return `select value from {measurements}
    where route = ${values.add(route)} and metric = ${values.add(metric)}
    order by ${before <= after ? "value" : "value desc"} limit 1 offset ${Math.min(before, after)}`;
}

/** @returns the place of a percentile among sorted values, from 1 */
export function nearestRank(count: number, share: number): number {
  return Math.max(Math.ceil(share * count), 1);
}

/** @param percentile gives nothing where the rows have been removed since they were counted */
function summarizeRequests(
  counted: MetricCount | undefined,
  percentile: (share: number) => number | undefined,
): RequestSummary | undefined {
  const [p50, p75, p95] = [percentile(0.5), percentile(0.75), percentile(0.95)];
  if (!counted || p50 === undefined || p75 === undefined || p95 === undefined) return undefined;
  const { count, failures } = counted;
  return { count, p50, p75, p95, failureRate: failures / count };
}
