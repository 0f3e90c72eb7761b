/** Envelopes as they are read and written, and the JSON in them within bounds. */

export { contentsOf, type DropReason, type Drops, summed } from "./envelope/client-report.ts";
export {
  type Envelope,
  type EnvelopeItem,
  type ItemToWrite,
  makeEnvelope,
  readEnvelope,
  writeEnvelope,
} from "./envelope/envelope.ts";
export { checkJson, isRecord, parseJson } from "./envelope/json-limits.ts";
export { newServerEventId } from "./envelope/server-ids.ts";
