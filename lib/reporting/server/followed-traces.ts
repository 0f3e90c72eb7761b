import type { IncomingHttpHeaders } from "node:http";

/** Any client may claim that its trace is sampled: this many are believed. */
const maxPerSecond = 20;

/** Limits how many traces are sampled only because their clients say so. */
export class FollowedTraces {
  #second = 0;
  #followed = 0;

  /** @param now milliseconds of any clock that only goes forward */
  constructor(private readonly now = () => performance.now()) {}

  /** Whether one more such trace may be followed. Counts it. */
  mayFollow(): boolean {
    const second = Math.floor(this.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#followed = 0;
    }
    this.#followed += 1;
    return this.#followed <= maxPerSecond;
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
