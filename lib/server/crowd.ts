import { basePath } from "@/lib/config/public";
import { runtimeConfig } from "@/lib/config/runtime";
import { clientReader, shareKey } from "@/lib/http/client-address";
import { errorResponses, writeErrorResponse } from "@/lib/http/error-response";
import type { EarlyAnswer } from "./each-request";
import { unansweredOn, whenAnswered } from "./serving";

/** No browser sends the next request of a connection before the answer; some tools send a few. */
const maxPipelined = 32;
/** Far more than are in flight where nobody holds them up. Each takes some 300 kB of memory. */
const maxTogether = 800;
/** One subscriber leaves room for others. */
const maxOfAddress = maxTogether / 2;

/**
 * Closes a connection that asks for more and more without waiting for answers: Node begins to handle
 * all requests of a connection at once, and keeps the answers until it is their turn.
 */
export const refusePipelined: EarlyAnswer = ({ socket }) => {
  if (!socket.destroyed && unansweredOn(socket) <= maxPipelined) return undefined;
  socket.destroy();
  return Promise.resolve();
};

/** Refuses requests, but for health checks, while too many are in flight, of one address or of all. */
export function refuseCrowd(): EarlyAnswer {
  const inFlight = new InFlight();
  const clientOf = clientReader(runtimeConfig().trustedProxies);
  return (request, response) => {
    if (request.url?.startsWith(`${basePath}/api/health/`)) return undefined;
    const key = shareKey(clientOf(request).address);
    if (!inFlight.enter(key)) return writeErrorResponse(request, response, crowded).catch(() => {});
    whenAnswered(request, response, () => inFlight.leave(key));
    return undefined;
  };
}

class InFlight {
  #all = 0;
  readonly #byAddress = new Map<string, number>();

  /** @returns whether there is room. Only then must `leave` be called */
  enter(key: string): boolean {
    const own = this.#byAddress.get(key) ?? 0;
    if (this.#all >= maxTogether || own >= maxOfAddress) return false;
    this.#all += 1;
    this.#byAddress.set(key, own + 1);
    return true;
  }

  leave(key: string): void {
    this.#all -= 1;
    const own = (this.#byAddress.get(key) ?? 0) - 1;
    if (own > 0) this.#byAddress.set(key, own);
    else this.#byAddress.delete(key);
  }
}

const crowded = errorResponses.unavailable("Too many requests are being answered.");
