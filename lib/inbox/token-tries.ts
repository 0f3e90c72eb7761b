import { RateLimit } from "@/lib/http/rate-limit";
import { singleton } from "@/lib/singleton";

/** Twenty tries at once, ten a second in the long run. */
const limit = { max: 20, windowSeconds: 2 };
const maxWaitMs = 5_000;

/**
 * Slows down the guessing of tokens, for each address separately. The right token is checked like
 * any other: wrong ones before it may delay it, but not shut it out.
 *
 * @param address the rate key of the client, see `rateKey`
 * @returns when the token may be checked; false if that would take more than five seconds
 */
export function mayTryToken(address: string): Promise<boolean> {
  return singleton("inbox-token-tries", () => new RateLimit(limit)).takeOrWait(address, maxWaitMs);
}
