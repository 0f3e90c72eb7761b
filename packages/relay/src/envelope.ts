/** Envelopes as they are read and written, and the JSON in them within bounds. */

export { contentsOf, type DropReason, type Drops, summed } from "./envelope/client-report.ts";
export { checkJson, isRecord, parseJson } from "./envelope/json-limits.ts";
export { type Envelope, type EnvelopeItem, readEnvelope } from "./envelope/read-envelope.ts";
export { newServerEventId } from "./envelope/server-ids.ts";
export { type ItemToWrite, writeEnvelope } from "./envelope/write-envelope.ts";
