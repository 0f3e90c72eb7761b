import type { IncomingMessage } from "node:http";
import { shared, type TraceMeta } from "./shared";

/**
 * What a server-rendered page hands to the browser, as `<meta name="sentry-trace">` and
 * `<meta name="baggage">`. Only for pages rendered for this one request: a prerendered or
 * incremental page would give one visitor's trace to everybody.
 *
 * @returns nothing where reporting has not started (during a build, for one)
 */
export function traceMetaFor(req: IncomingMessage): TraceMeta | undefined {
  return shared().reporter?.traceMeta(req.headers);
}
