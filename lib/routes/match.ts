import { type Route, routes } from "./routes";

const patterns = (Object.keys(routes) as Route[]).map((route) => ({
  route,
  shape: new RegExp(
    `^${route
      .replace(/\/\[\[\.{3}\w+\]\]/, "(?:/.+)?")
      .replace(/\[\.{3}\w+\]/, ".+")
      .replace(/\[\w+\]/, "[^/]+")}$`,
  ),
}));

/**
 * The pattern of the page that a path leads to.
 *
 * @param path URL path without base path, locale and query
 * @returns nothing where no page of the map answers
 */
export function matchRoute(path: string): Route | undefined {
  return patterns.find(({ shape }) => shape.test(path))?.route;
}
