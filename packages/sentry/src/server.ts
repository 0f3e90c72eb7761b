/** What a server of one's own builds on: an outbox with a destination, request steps, readiness. */

export type {
  DeliveryState as DispatcherState,
  Destination,
  DestinationContext,
  DestinationSettings,
  EmbeddedDestination,
  OpenDestination,
  ServiceRefusal,
} from "@signpost/relay";
export { atMost } from "@signpost/relay";
export { internalOnly } from "@signpost/relay/categories";
export {
  checkJson,
  type EnvelopeItem,
  isRecord,
  readEnvelope,
  writeEnvelope,
} from "@signpost/relay/envelope";
export {
  type BodyMemory,
  type BodyReservation,
  type Client,
  ClientLimit,
  clientReader,
  contentType,
  type ErrorResponse,
  errorResponses,
  isCrossSite,
  isFragmented,
  plainForm,
  RateLimit,
  type Refusals,
  rateKey,
  readForm,
  respond,
  respondJson,
  senderKey,
  shareKey,
  timingSafeEquals,
  writeErrorResponse,
} from "@signpost/relay/http";
export {
  type FrameResolver,
  isCompiled,
  type ResolvedFrame,
  type ResolveOptions,
  resolveEvent,
  type SourceFrame,
} from "@signpost/relay/source-maps";
export {
  backoff,
  type ClaimedReport,
  type Dialect,
  type Driver,
  insertAll,
  isOutboxError,
  type Origin,
  type Outbox,
  type OutboxStats,
  type Outcome,
  type Row,
  type Statement,
  type StoredReport,
  type TableSet,
  type Value,
  Values,
} from "@signpost/relay/store";
export { sdk } from "./server/complete-envelope.ts";
export { originalUrlOf, routeOfRequest } from "./server/next-request.ts";
export { captureFailure, currentReference } from "./server/references.ts";
export {
  bodyMemory,
  deliverNow,
  destinationName,
  dispatcherState,
  feedbackLimit,
  outbox,
  refusals,
  relay,
  releases,
  resolveFrames,
  serviceAnswers,
  serviceLimited,
  serviceRefusal,
} from "./server/relay.ts";
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
export { ConfigError, checkEnvironment } from "./shared/environment/check-environment.ts";
export { proxyVariables } from "./shared/environment/outgoing-proxy.ts";
export {
  type RuntimeConfig,
  runtimeConfig,
  runtimeVariables,
  servedOrigin,
} from "./shared/environment/runtime.ts";
export { mayLeadElsewhere } from "./shared/environment/served-app.ts";
export { type LogFields, log, oncePerMinute } from "./shared/log.ts";
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
export { readUserAgent } from "./shared/user-agent.ts";
