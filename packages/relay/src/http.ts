/** Answers, bounds and rates for request handlers beside the tunnel's own. */

export {
  type ErrorResponse,
  errorResponses,
  respond,
  writeErrorResponse,
} from "./http/answers.ts";
export { isFragmented } from "./http/body.ts";
export { type Client, isCrossSite, rateKey, shareKey } from "./http/client.ts";
export { clientReader, peerOf } from "./http/client-address.ts";
export { readForm } from "./http/form.ts";
export { ClientLimit } from "./http/rates.ts";
