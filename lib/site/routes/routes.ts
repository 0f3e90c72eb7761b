import { fillPattern, isDynamic } from "@/lib/base/routes/pattern";
import { apiExcludedFromTracing } from "./built-in";
import type { PageEntry, Rendering } from "./page-entry";
import { pages } from "./table";

export type { Rendering };

/** The pattern of a page, `/dynamic/[id]`. */
export type Route = keyof typeof pages;

const entries = Object.entries(pages) as [Route, PageEntry][];

/** How each page is rendered. */
export const routes = Object.fromEntries(
  entries.map(([route, { rendering }]) => [route, rendering]),
) as Record<Route, Rendering>;

type ParamsOfSegment<S extends string> = S extends `[[...${infer Name}]]`
  ? { [K in Name]?: readonly string[] }
  : S extends `[...${infer Name}]`
    ? { [K in Name]: readonly [string, ...string[]] }
    : S extends `[${infer Name}]`
      ? { [K in Name]: string }
      : unknown;

/** The parameters a pattern takes: `{ id: string }` for `/dynamic/[id]`. */
type ParamsOf<R extends string> = R extends `${infer Segment}/${infer Rest}`
  ? ParamsOfSegment<Segment> & ParamsOf<Rest>
  : ParamsOfSegment<R>;

/**
 * The URL path of a page, each segment percent-encoded; without base path and locale, which Next's
 * link and router add.
 */
export function href<R extends Route>(
  route: R,
  ...[params]: unknown extends ParamsOf<R> ? [] : [ParamsOf<R>]
): string {
  return fillPattern(route, params ?? {});
}

/** The path of an example of every page on the map; dynamic pages without an example are not on it. */
export const examples: Partial<Record<Route, string>> = Object.fromEntries(
  entries
    .filter(([route, { example }]) => example ?? !isDynamic(route))
    .map(([route, { example }]) => [route, fillPattern(route, example ?? {})]),
);

/** Pages and API routes that are asked for too often to be measured. */
export const excludeFromTracing = [
  ...entries.filter(([, page]) => page.excludeFromTracing).map(([route]) => route),
  ...apiExcludedFromTracing,
];
