/**
 * Route patterns as Next names them: `/dynamic/[id]`, `/catch-all/[...path]`, `/optional/[[...path]]`.
 * Source: https://nextjs.org/docs/pages/building-your-application/routing/dynamic-routes
 */
const shapes = { param: "/[^/]+", rest: "/.+", optional: "(?:/.+)?" };

/** @returns matches the paths of the route, without query, with or without a slash at the end */
export function matcherOf(pattern: string): RegExp {
  const shape = pattern
    .split("/")
    .filter(Boolean)
    .map((text) => {
      const [, optional, rest, name] = /^\[(\[)?(\.{3})?([^[\]]+)\]+$/.exec(text) ?? [];
      if (name === undefined) return `/${text.replace(/[.*+?^${}()|\\]/g, "\\$&")}`;
      if (!rest) return shapes.param;
      return optional ? shapes.optional : shapes.rest;
    })
    .join("");
  return new RegExp(`^${shape}/?$`);
}
