import type { Sample } from "./samples";
import { SlowestVisits, type Visit } from "./visits";
import { position, type Rating, rate, type Vital, vitals } from "./vitals";

interface VitalSummary {
  vital: Vital;
  /** Number of visits that measured it. */
  count: number;
  /** Milliseconds; CLS has no unit. */
  p75: number;
  rating: Rating;
  /** Of the 75th percentile on the bar, 0 to 1: see `position`. */
  position: number;
}

interface RequestSummary {
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
  /** Slowest first. */
  slowest: Visit[];
}

/** Clients can make up routes, so their number is limited; all others share one row. */
const maxRoutes = 500;
/** Visits that are told of each route. */
const maxSlowest = 20;
/** The route of that row. */
export const otherRoutes = "other routes";

/** @returns one entry for each route, those with the most samples first */
export function summarizeRoutes(
  samples: Iterable<Sample>,
  visits: Iterable<Visit>,
): RoutePerformance[] {
  const routes = new Map<string, RouteSamples>();
  const ofRoute = (named: string) => {
    const known = routes.get(named);
    if (known) return known;
    const route = routes.size < maxRoutes ? named : otherRoutes;
    const its = routes.get(route) ?? new RouteSamples();
    routes.set(route, its);
    return its;
  };
  for (const sample of samples) ofRoute(sample.route).add(sample);
  for (const visit of visits) ofRoute(visit.route).slowest.add(visit);
  return [...routes]
    .sort(([a, one], [b, two]) => two.size - one.size || (a < b ? -1 : 1))
    .map(([route, its]) => its.summary(route));
}

/**
 * The nearest-rank percentile: the smallest value that is not exceeded by at least this share of
 * all values. It is always one of the values.
 *
 * @param sorted ascending, not empty
 * @param share over 0, up to 1
 * @throws {RangeError} where there are no values
 */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  const value = sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)];
  if (value === undefined) throw new RangeError("Expected at least one value, got none");
  return value;
}

/** The samples of one route. */
class RouteSamples {
  size = 0;
  readonly slowest = new SlowestVisits(maxSlowest);
  readonly #vitals = new Map<Vital, number[]>();
  readonly #durations: number[] = [];
  #failures = 0;

  add(sample: Sample): void {
    this.size += 1;
    if (sample.kind === "request") {
      this.#durations.push(sample.duration);
      if (sample.failed) this.#failures += 1;
      return;
    }
    const values = this.#vitals.get(sample.vital);
    if (values) values.push(sample.value);
    else this.#vitals.set(sample.vital, [sample.value]);
  }

  summary(route: string): RoutePerformance {
    return {
      route,
      vitals: vitals.flatMap((vital) => {
        const values = this.#vitals.get(vital);
        return values ? [summarizeVital(vital, values)] : [];
      }),
      requests: this.#requests(),
      slowest: this.slowest.visits,
    };
  }

  #requests(): RequestSummary | undefined {
    const count = this.#durations.length;
    if (count === 0) return undefined;
    const sorted = Float64Array.from(this.#durations).sort();
    return {
      count,
      p50: percentile(sorted, 0.5),
      p75: percentile(sorted, 0.75),
      p95: percentile(sorted, 0.95),
      failureRate: this.#failures / count,
    };
  }
}

function summarizeVital(vital: Vital, values: number[]): VitalSummary {
  const p75 = percentile(Float64Array.from(values).sort(), 0.75);
  return {
    vital,
    count: values.length,
    p75,
    rating: rate(vital, p75),
    position: position(vital, p75),
  };
}
