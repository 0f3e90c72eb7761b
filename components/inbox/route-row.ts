import { nameless, otherRoutes } from "@/lib/inbox/route-name";
import type { RoutePerformance } from "@/lib/inbox/route-performance";
import { type Rating, thresholds, type Vital, vitals } from "@/lib/inbox/vitals";
import type { Formatter } from "./format";
import type { InboxTexts } from "./texts";

export interface VitalCell {
  vital: Vital;
  value: string;
  rating: Rating;
  /** 0 to 1 along the bar. */
  position: number;
  measured: string;
}

export interface RouteRow {
  route: string;
  /** How many visits were measured; vitals that not every visit has may have fewer. */
  visits: string | undefined;
  /** In the order of all vitals; null where there is no measurement. */
  vitals: (VitalCell | null)[];
  requests: { label: string; value: string; failing?: boolean }[];
}

/** What the vitals are called and where their limits are. */
export interface ScaleRow {
  vital: Vital;
  good: string;
  poor: string;
}

/** @returns the scale of each vital, in the order of all vitals */
export function scaleRows(write: Formatter): ScaleRow[] {
  return vitals.map((vital) => ({
    vital,
    good: write.vital(vital, thresholds[vital].good),
    poor: write.vital(vital, thresholds[vital].poor),
  }));
}

export function routeRow(one: RoutePerformance, texts: InboxTexts, write: Formatter): RouteRow {
  const { requests } = one;
  const names = new Map([
    [nameless, texts.nameless],
    [otherRoutes, texts.otherRoutes],
  ]);
  const visits = Math.max(...one.vitals.map(({ count }) => count));
  return {
    route: names.get(one.route) ?? one.route,
    visits: one.vitals.length > 0 ? write.count(visits) : undefined,
    vitals: vitals.map((vital) => {
      const found = one.vitals.find((cell) => cell.vital === vital);
      return found
        ? {
            vital,
            value: write.vital(vital, found.p75),
            rating: found.rating,
            position: Math.round(found.position * 1000) / 1000,
            measured: write.count(found.count),
          }
        : null;
    }),
    requests: requests
      ? [
          { label: texts.requests, value: write.count(requests.count) },
          { label: texts.half, value: write.duration(requests.p50) },
          { label: texts.threeQuarters, value: write.duration(requests.p75) },
          { label: texts.almostAll, value: write.duration(requests.p95) },
          {
            label: texts.failed,
            value: write.share(requests.failureRate),
            failing: requests.failureRate > 0,
          },
        ]
      : [],
  };
}
