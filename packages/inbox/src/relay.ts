/* All that the inbox takes of the relay. */

export {
  type DestinationContext,
  type EmbeddedDestination,
  type OpenDestination,
  oncePerMinute,
} from "@signpost/relay";
export { internalOnly } from "@signpost/relay/categories";
export { checkJson, type EnvelopeItem, isRecord, readEnvelope } from "@signpost/relay/envelope";
export {
  type BodyMemory,
  type BodyReservation,
  type Client,
  ClientLimit,
  type ErrorResponse,
  errorResponses,
  isCrossSite,
  plainForm,
  readForm,
  respond,
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
  type Outcome,
  type Row,
  type Statement,
  type StoredReport,
  type TableSet,
  type Value,
  Values,
} from "@signpost/relay/store";
