import {
  type ErrorResponse,
  errorResponses,
  writeErrorResponse,
} from "../relay/http/error-response.ts";
import type { RequestStep } from "../shared/server/request-steps.ts";

/**
 * What Next's routing costs grows with the square of the number: 4,000 take half a second of the only thread,
 * so many some 5 ms.
 */
export const maxParameters = 250;

/**
 * Refuses what any visitor can ask for, and Next can't serve:
 *
 * - the pattern of a page, `/blog/[slug]`. If that is a fresh server's first request for an incremental page,
 *   Next answers neither it nor the page's later ones. A rewrite can lead there from another
 *   address, so that no part of one may be a pattern's.
 * - more query parameters than `maxParameters`
 *
 * @param patterns of all routes that the app has
 */
export function refuseTargets(patterns: readonly string[]): RequestStep {
  const parameters = new Set(
    patterns.flatMap((pattern) => pattern.split("/").filter((part) => part.startsWith("["))),
  );
  return (request, response, next) => {
    const fault = targetFault(request.url ?? "", parameters);
    if (fault) void writeErrorResponse(request, response, fault).catch(() => {});
    else next();
  };
}

function targetFault(target: string, parameters: ReadonlySet<string>): ErrorResponse | undefined {
  const [path = ""] = target.split("?", 1);
  if (hasMoreThan(maxParameters, target.slice(path.length))) return tooManyParameters;
  // Scripts of the build are named after the pages that they belong to.
  const isOfBuild = path.includes("/_next/static/") && !path.includes("..");
  if (!/\[|%5b/i.test(path) || isOfBuild) return undefined;
  const parts = decoded(path).split(/[\\/]/);
  const isPattern = parts.some((part) => parameters.has(part.replace(/\.json$/, "")));
  return isPattern
    ? errorResponses.notFound("This is the pattern of a page, not an address.")
    : undefined;
}

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
