/** How a page comes to be: at build time, at build time and again from time to time, or per request. */
export type Rendering = "static" | "incremental" | "server";

/** Every page of the app, by the pattern Next gives it, in the order the map shows them. */
export const routes = {
  "/": "static",
  "/static": "static",
  "/incremental/[slug]": "incremental",
  "/server": "server",
  "/dynamic/[id]": "server",
  "/catch-all/[...path]": "server",
  "/optional/[[...path]]": "static",
  "/slow": "server",
  "/moved": "server",
  "/missing": "server",
  "/failures": "static",
  "/failures/server-data": "server",
  "/failures/server-render": "server",
  "/failures/client-render": "static",
  "/failures/client-event": "static",
  "/failures/client-promise": "static",
  "/feedback": "static",
  "/reports": "server",
} as const satisfies Record<string, Rendering>;

export type Route = keyof typeof routes;

type ParamsOfSegment<S extends string> = S extends `[[...${infer Name}]]`
  ? { [K in Name]?: readonly string[] }
  : S extends `[...${infer Name}]`
    ? { [K in Name]: readonly [string, ...string[]] }
    : S extends `[${infer Name}]`
      ? { [K in Name]: string }
      : unknown;

/** The parameters a pattern takes: `{ id: string }` for `/dynamic/[id]`. */
export type ParamsOf<R extends string> = R extends `${infer Segment}/${infer Rest}`
  ? ParamsOfSegment<Segment> & ParamsOf<Rest>
  : ParamsOfSegment<R>;

type Params = Record<string, string | readonly string[] | undefined>;

/**
 * The URL path of a page, each segment percent-encoded; without base path and locale, which Next's
 * link and router put in front.
 */
export function href<R extends Route>(
  route: R,
  ...[params]: unknown extends ParamsOf<R> ? [] : [ParamsOf<R>]
): string {
  const given: Params = params ?? {};
  return route.replace(/\/\[+(?:\.{3})?(\w+)\]+/g, (_, name: string) =>
    [given[name] ?? []]
      .flat()
      .map((segment) => `/${encodeURIComponent(segment)}`)
      .join(""),
  );
}

/** One example of every page, so that each can be linked to: what the map and the rail list. */
export const examples: Record<Route, string> = {
  ...(Object.fromEntries(Object.keys(routes).map((route) => [route, route])) as Record<
    Route,
    string
  >),
  "/incremental/[slug]": href("/incremental/[slug]", { slug: "alpha" }),
  "/dynamic/[id]": href("/dynamic/[id]", { id: "a-1" }),
  "/catch-all/[...path]": href("/catch-all/[...path]", { path: ["one", "two"] }),
  "/optional/[[...path]]": href("/optional/[[...path]]", {}),
};
