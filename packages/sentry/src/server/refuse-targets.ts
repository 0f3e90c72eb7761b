import { type ErrorResponse, errorResponses, writeErrorResponse } from "@signpost/relay/http";
import type { RequestStep } from "./request-steps.ts";

/**
 * What Next's routing costs grows with the square of the number: 4,000 take half a second of the only thread,
 * so many some 5 ms.
 */
export const maxParameters = 250;

/**
 * Refuses what any visitor can ask for, and Next can't serve:
 *
 * - the pattern of an incremental page, `/blog/[slug]`. If that is a fresh server's first request for an incremental page,
 *   Next answers neither it nor the page's later ones. A rewrite can lead there from another
 *   address, so that no part of one may be a pattern's.
 * - more query parameters than `maxParameters`
 * - a `#`, which no browser sends: Next ends the path there, and who looks at it before Next does not
 *
 * @param patterns of the app's pages with `getStaticPaths`
 * @param assetPaths below which files of the build are served, such as "/base"
 */
export function refuseTargets(
  patterns: readonly string[],
  assetPaths: readonly string[],
): RequestStep {
  const builds = assetPaths.map((path) => `${path}/_next/static/`);
  const parameters = new Set(
    patterns.flatMap((pattern) => pattern.split("/").filter((part) => part.startsWith("["))),
  );
  return (request, response, next) => {
    const fault = targetFault(request.url ?? "", parameters, builds);
    if (fault) void writeErrorResponse(request, response, fault).catch(() => {});
    else next();
  };
}

function targetFault(
  target: string,
  parameters: ReadonlySet<string>,
  builds: readonly string[],
): ErrorResponse | undefined {
  const [path = ""] = target.split("?", 1);
  if (target.includes("#")) return withFragment;
  if (hasMoreThan(maxParameters, target.slice(path.length))) return tooManyParameters;
  if (!/\[|%5b/i.test(path)) return undefined;
  // As Next reads it, which also leaves a folder at `%2e%2e`.
  const parts = decoded(path).split(/[\\/]/);
  const isPattern = parts.some((part) => parameters.has(part.replace(/\.json$/, "")));
  if (!isPattern || isOfBuild(parts, builds)) return undefined;
  return errorResponses.notFound("This is the pattern of a page, not an address.");
}

/** Scripts of the build are named after the pages that they belong to. */
function isOfBuild(parts: readonly string[], builds: readonly string[]): boolean {
  if (parts.includes(".") || parts.includes("..")) return false;
  return builds.some((build) => parts.join("/").startsWith(build));
}

const withFragment = errorResponses.malformed("An address that is asked for has no #.");

const tooManyParameters = errorResponses.malformed(
  `The address has more than ${maxParameters} parameters.`,
);

/** Looks no further than it must. */
function hasMoreThan(max: number, query: string): boolean {
  let at = -1;
  for (let count = 0; count < max; count++) {
    at = query.indexOf("&", at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** @returns what can't be decoded as it is: Next refuses it */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
