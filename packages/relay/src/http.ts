/** Answers, bounds and rates for request handlers beside the tunnel's own. */

export type { BodyMemory, BodyReservation } from "./http/body-memory.ts";
export {
  type Client,
  clientReader,
  peerOf,
  rateKey,
  senderKey,
  shareKey,
} from "./http/client-address.ts";
export { ClientLimit } from "./http/client-limit.ts";
export { isCrossSite } from "./http/cross-site.ts";
export { type ErrorResponse, errorResponses, writeErrorResponse } from "./http/error-response.ts";
export { RateLimit } from "./http/rate-limit.ts";
export { isFragmented } from "./http/read-body.ts";
export { contentType, plainForm, readForm } from "./http/read-form.ts";
export type { Refusals } from "./http/refusals.ts";
export { respond, respondJson } from "./http/respond.ts";
export { timingSafeEquals } from "./http/timing-safe-equals.ts";
