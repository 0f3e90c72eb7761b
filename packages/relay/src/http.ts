/** Answers, bounds and rates for request handlers beside the tunnel's own. */

export type { Refusals } from "./http/answers.ts";
export {
  type ErrorResponse,
  errorResponses,
  respond,
  respondJson,
  writeErrorResponse,
} from "./http/answers.ts";
export { contentType, isFragmented, plainForm, readForm } from "./http/body.ts";
export type { BodyMemory, BodyReservation } from "./http/body-memory.ts";
export {
  type Client,
  clientReader,
  isCrossSite,
  peerOf,
  rateKey,
  senderKey,
  shareKey,
  timingSafeEquals,
} from "./http/client.ts";
export { ClientLimit, RateLimit } from "./http/rates.ts";
