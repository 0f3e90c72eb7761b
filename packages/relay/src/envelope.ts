/** Envelopes as they are read and written, and the JSON in them within bounds. */

export { type Drops, dropsOf, summed } from "./envelope/client-report.ts";
export {
  type Envelope,
  type EnvelopeItem,
  makeEnvelope,
  readEnvelope,
  writeEnvelope,
} from "./envelope/envelope.ts";
export { checkJson, parseJson } from "./envelope/json-limits.ts";
export { newServerEventId } from "./envelope/server-ids.ts";
