import type { PageRoutes } from "../../.next/types/routes";
import type { RouteFactsProps } from "../route-facts";

export interface Placeholder {
  /** The pattern, as Next names it. */
  route: PageRoutes;
  rendering: RouteFactsProps["rendering"];
  /** An example, where the pattern leaves something open. */
  path?: string;
}

/** What the map and the rail list, in this order: the pages that came with Signpost. */
export const placeholders: Placeholder[] = [
  { route: "/", rendering: "static" },
  { route: "/static", rendering: "static" },
  { route: "/incremental/[slug]", rendering: "incremental", path: "/incremental/alpha" },
  { route: "/server", rendering: "server" },
  { route: "/dynamic/[id]", rendering: "server", path: "/dynamic/a-1" },
  { route: "/catch-all/[...path]", rendering: "server", path: "/catch-all/one/two" },
  { route: "/optional/[[...path]]", rendering: "static", path: "/optional" },
  { route: "/slow", rendering: "server" },
  { route: "/moved", rendering: "server" },
  { route: "/missing", rendering: "server" },
  { route: "/failures", rendering: "static" },
  { route: "/failures/server-data", rendering: "server" },
  { route: "/failures/server-render", rendering: "server" },
  { route: "/failures/client-render", rendering: "static" },
  { route: "/failures/client-event", rendering: "static" },
  { route: "/failures/client-promise", rendering: "static" },
  { route: "/feedback", rendering: "static" },
];
