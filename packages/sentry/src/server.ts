/**
 * What a server of one's own builds on: request steps, readiness, captures on the server. The rest of a
 * report's way is in `@signpost/relay`.
 */

export { sdk } from "./server/complete-envelope.ts";
export { originalUrlOf, routeOfRequest } from "./server/next-request.ts";
export { captureFailure, currentReference } from "./server/references.ts";
export { destinationName, relay, releases } from "./server/relay.ts";
export { reportStored } from "./server/reports-under-way.ts";
export { loggable, reportFailure } from "./server/request-errors.ts";
export { type Failure, mechanisms, shared } from "./server/shared.ts";
export {
  configOrExit,
  extendServer,
  type RequestReporting,
  reportPath,
  serverReady,
} from "./server/start.ts";
export { uploadVariables } from "./shared/environment/build.ts";
export { proxyVariables } from "./shared/environment/outgoing-proxy.ts";
export {
  type RuntimeConfig,
  runtimeConfig,
  runtimeVariables,
  servedOrigin,
} from "./shared/environment/runtime.ts";
export { mayLeadElsewhere } from "./shared/environment/served-app.ts";
export { type LogFields, log } from "./shared/log.ts";
export { scrubText } from "./shared/privacy/scrub-text.ts";
export type { RequestStep } from "./shared/server/request-steps.ts";
export {
  countInFlight,
  onPageServer,
  serving,
  unansweredOn,
  whenAnswered,
} from "./shared/server/serving.ts";
export { singleton } from "./shared/singleton.ts";
