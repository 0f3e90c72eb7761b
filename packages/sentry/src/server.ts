/**
 * What a server of one's own builds on: request steps, readiness, captures on the server. The rest of a
 * report's way is in `@signpost/relay`.
 */

export { captureUnshownError } from "./server/captures.ts";
export { logConsole } from "./server/console.ts";
export { originalUrlOf, routeOfRequest } from "./server/next-request.ts";
export { relay } from "./server/relay.ts";
export { reportApiFailure } from "./server/request-errors.ts";
export type { RequestStep } from "./server/request-steps.ts";
export { onPageServer, serving, unansweredOn, whenAnswered } from "./server/serving.ts";
export {
  configOrExit,
  extendServer,
  type RequestReporting,
  serverReady,
} from "./server/start.ts";
export {
  type RuntimeConfig,
  runtimeConfig,
  servedOrigin,
  variables,
} from "./shared/environment/runtime.ts";
export { log } from "./shared/log.ts";
