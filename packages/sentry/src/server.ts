/** What a server of one's own builds on: an outbox with a destination, request steps, readiness. */

export type {
  Destination,
  DestinationContext,
  EmbeddedDestination,
  OpenDestination,
} from "./relay/delivery/destination.ts";
export { type ServiceRefusal, serviceAnswers } from "./relay/delivery/service.ts";
export { internalOnly } from "./relay/envelope/categories.ts";
export { checkJson } from "./relay/envelope/json-limits.ts";
export { type EnvelopeItem, readEnvelope } from "./relay/envelope/read-envelope.ts";
export { isRecord } from "./relay/envelope/scrub.ts";
export { scrubText } from "./relay/envelope/scrub-text.ts";
export { readUserAgent } from "./relay/envelope/user-agent.ts";
export { writeEnvelope } from "./relay/envelope/write-envelope.ts";
export { type BodyMemory, type BodyReservation, bodyMemory } from "./relay/http/body-memory.ts";
export {
  type Client,
  clientReader,
  rateKey,
  senderKey,
  shareKey,
} from "./relay/http/client-address.ts";
export { ClientLimit } from "./relay/http/client-limit.ts";
export { isCrossSite } from "./relay/http/cross-site.ts";
export {
  type ErrorResponse,
  errorResponses,
  writeErrorResponse,
} from "./relay/http/error-response.ts";
export { RateLimit } from "./relay/http/rate-limit.ts";
export { isFragmented } from "./relay/http/read-body.ts";
export { contentType, plainForm, readForm } from "./relay/http/read-form.ts";
export { type Refusals, refusals } from "./relay/http/refusals.ts";
export { respond, respondJson } from "./relay/http/respond.ts";
export { timingSafeEquals } from "./relay/http/timing-safe-equals.ts";
export { backoff } from "./relay/outbox/backoff.ts";
export {
  type Dialect,
  type Driver,
  insertAll,
  isOutboxError,
  type Row,
  type Statement,
  type Value,
  Values,
} from "./relay/outbox/driver.ts";
export type { Outbox } from "./relay/outbox/outbox.ts";
export type { ClaimedReport, Origin, Outcome, StoredReport } from "./relay/outbox/reports.ts";
export type { OutboxStats } from "./relay/outbox/stats.ts";
export type { TableSet } from "./relay/outbox/table-sets.ts";
export {
  addTables,
  type DispatcherState,
  deliverNow,
  dispatcherState,
  feedbackLimit,
  outbox,
  releases,
  serviceLimited,
  serviceRefusal,
} from "./relay/relay.ts";
export { isCompiled, type ResolvedFrame, type SourceFrame } from "./relay/source-maps/frames.ts";
export { resolveEvent } from "./relay/source-maps/resolve-event.ts";
export {
  type FrameResolver,
  type ResolveOptions,
  resolveFrames,
} from "./relay/source-maps/resolve-frames.ts";
export { sdk } from "./relay/tunnel/complete-envelope.ts";
export { originalUrlOf, routeOfRequest } from "./server/next-request.ts";
export { captureFailure, currentReference } from "./server/references.ts";
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
export { atMost } from "./shared/at-most.ts";
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
export type { RequestStep } from "./shared/server/request-steps.ts";
export {
  countInFlight,
  onPageServer,
  serving,
  unansweredOn,
  whenAnswered,
} from "./shared/server/serving.ts";
export { singleton } from "./shared/singleton.ts";
