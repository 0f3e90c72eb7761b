import { percentile } from "./percentile";
import { otherRoutes } from "./route-name";
import type { Sample } from "./samples";
import { position, type Rating, rate, type Vital, vitals } from "./vitals";

export interface VitalSummary {
  vital: Vital;
  /** How many visits measured it. */
  count: number;
  /** What three visits in four were no worse than: milliseconds, but for CLS, which has no unit. */
  p75: number;
  rating: Rating;
  /** Where it stands on the bar, 0 to 1: see `position`. */
  position: number;
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
  /** In the order of `vitals`; those never measured are missing. */
  vitals: VitalSummary[];
  requests: RequestSummary | undefined;
}

/** Routes with a row of their own; made-up ones beyond that share one. */
const mostRoutes = 500;

/** @returns by route, those with the most measurements first */
export function summarizeRoutes(samples: Iterable<Sample>): RoutePerformance[] {
  const routes = new Map<string, Measured>();
  for (const sample of samples) {
    const fits = routes.has(sample.route) || routes.size < mostRoutes;
    const route = fits ? sample.route : otherRoutes;
    const measured = routes.get(route) ?? new Measured();
    measured.add(sample);
    routes.set(route, measured);
  }
  return [...routes]
    .sort(([a, one], [b, two]) => two.size - one.size || (a < b ? -1 : 1))
    .map(([route, measured]) => measured.summary(route));
}

/** The values measured for one route. */
class Measured {
  size = 0;
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
