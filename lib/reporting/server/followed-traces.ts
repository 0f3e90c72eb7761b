import type { IncomingHttpHeaders } from "node:http";
import { TokenBucket } from "./token-bucket";

/** Limits how many traces are sampled only because their clients say so: any client may. */
export class FollowedTraces {
  /** 20 a second. */
  readonly #bucket = new TokenBucket({ burst: 20, perMinute: 1_200 });

  /** Whether one more such trace may be followed. Counts it. */
  mayFollow(): boolean {
    return this.#bucket.take();
  }

  /**
   * For a tracer that reads the headers itself: removes the trace from a request that is one too
   * many, which then begins a trace of its own. A trace that is not sampled may stay.
   */
  limit(headers: IncomingHttpHeaders): void {
    const trace = headers["sentry-trace"];
    if (trace === undefined || String(trace).endsWith("-0") || this.mayFollow()) return;
    delete headers["sentry-trace"];
    delete headers.baggage;
  }
}
