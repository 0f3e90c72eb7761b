import { type Client, networkKey, rateKey } from "../http/client-address.ts";
import { type ErrorResponse, errorResponses } from "../http/error-response.ts";
import { RateLimit } from "../http/rate-limit.ts";

const { rateLimited } = errorResponses;

/**
 * Bytes after decompression for which an envelope counts once more: on the wire it can be a thousand
 * times smaller. An error has a fraction of that.
 */
const bytesPerCount = 100_000;

/** How much may come from one address, from one network and from all: a fixed window of a minute. */
export class Rates {
  readonly #address: RateLimit;
  /** Of one subscriber, who may have every /64 of a /48. */
  readonly #network: RateLimit;
  readonly #total: RateLimit;

  /** @param rate envelopes a minute from one address */
  constructor(rate: number, totalRate = defaultTotalRate(rate)) {
    this.#address = new RateLimit({ max: rate });
    this.#network = new RateLimit({ max: Math.max(rate, totalRate / 8) });
    this.#total = new RateLimit({ max: totalRate });
  }

  /**
   * Counts one envelope.
   *
   * @returns why it is refused; undefined if it is not
   */
  take(client: Client): Promise<ErrorResponse | undefined> {
    return this.#count(client, "envelopes", (limit, key) => limit.take(key));
  }

  /** Counts a large envelope again, once its size after decompression is known. @see take */
  charge(client: Client, bytes: number): Promise<ErrorResponse | undefined> {
    const counts = Math.floor(bytes / bytesPerCount);
    return this.#count(client, "bytes", (limit, key) => limit.charge(key, counts));
  }

  /**
   * The address's own rate comes first: an envelope beyond it does not count against all.
   *
   * @param count gives the seconds to wait, 0 if there is nothing to wait for
   */
  async #count(
    { address }: Client,
    what: "envelopes" | "bytes",
    count: (limit: RateLimit, key: string) => Promise<number>,
  ): Promise<ErrorResponse | undefined> {
    const wait = await count(this.#address, rateKey(address));
    if (wait > 0) return rateLimited(`This address sends too many ${what}.`, wait);
    const network = networkKey(address);
    const networkWait = network === undefined ? 0 : await count(this.#network, network);
    if (networkWait > 0) return rateLimited(`This network sends too many ${what}.`, networkWait);
    const totalWait = await count(this.#total, "all");
    if (totalWait === 0) return undefined;
    return rateLimited(`Too many ${what} come from all addresses together.`, totalWait);
  }
}

/**
 * What two hundred busy addresses may send, and at least a thousand envelopes a second, which one
 * process can store.
 */
function defaultTotalRate(addressRate: number): number {
  return Math.max(200 * addressRate, 60_000);
}
