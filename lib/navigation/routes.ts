import type { PageEntry } from "./page-entry";
import { fillPattern, isDynamic } from "./pattern";
import { pages } from "./table";

/** The pattern of a page, `/dynamic/[id]`. */
export type Route = keyof typeof pages;

const entries = Object.entries(pages) as [Route, PageEntry][];

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
