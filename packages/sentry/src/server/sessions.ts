import { hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AggregationCounts } from "@sentry/core";
import { getClient } from "@sentry/nextjs";
import type { EnvelopeItem } from "@signpost/relay/envelope";
import { parseJson } from "@signpost/relay/envelope";
import { clientReader, rateKey } from "@signpost/relay/http";
import type { RuntimeConfig } from "../shared/environment/runtime.ts";
import { isRecord } from "../shared/privacy/scrub.ts";
import { routeOfRequest } from "./next-request.ts";

const minuteMs = 60_000;
/** Of an event that is read. A larger one leaves its session as it is. */
const eventLimits = { maxBytes: 128 * 1024, maxValues: 10_000, maxDepth: 100 };
/** How many visitors are known at once: those whose documents were served last. */
const maxVisitors = 50_000;

type FailedStatus = "errored" | "crashed";

interface SessionsOptions extends Pick<RuntimeConfig, "release" | "trustedProxies"> {
  send(counts: AggregationCounts): void;
  /** Patterns of pages whose documents are no sessions. */
  excludeFromTracing?: readonly string[];
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/**
 * Release health without a byte or a request of the browser: a document that is served is a session,
 * and the next error of its visitor makes that one errored or crashed. Errors that the visitor's page
 * repeats count once, until the next document. An error of a visitor whom this server has served no
 * document makes none fail: a cache has answered in its place, or another server.
 * Source: https://develop.sentry.dev/sdk/telemetry/sessions/
 */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #clientOf: ReturnType<typeof clientReader>;
  /** What each visitor's latest document has come to, in the order in which they were served. */
  readonly #visitors = new Map<string, FailedStatus | "healthy">();
  readonly #failures = { errored: 0, crashed: 0 };
  #documents = 0;
  #since = 0;
  /** Sessions that were sent as healthy with the last item. Some may still fail. */
  #lastHealthy = 0;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#clientOf = clientReader(options.trustedProxies);
  }

  /** Counts the request once it is answered, if it is a visitor's and is answered with a document. */
  count(request: IncomingMessage, response: ServerResponse): void {
    if (!isNavigation(request)) return;
    response.once("finish", () => {
      if (!isDocument(request, response, this.#options.excludeFromTracing)) return;
      const visitor = this.#visitorOf(request);
      if (this.#documents++ === 0) this.#since = (this.#options.now ?? Date.now)();
      this.#served(visitor);
      if (response.statusCode >= 500) this.#fail(visitor, "crashed");
    });
  }

  /**
   * Reads the error that a page has sent, if it is one of this release.
   *
   * @param release of the page, if it has sent the error without the SDK
   * @returns what notes it, once the error is stored
   */
  readError(
    items: readonly EnvelopeItem[],
    request: IncomingMessage,
    release?: string,
  ): (() => void) | undefined {
    const item = items.find(({ type }) => type === "event");
    if (!item) return undefined;
    const visitor = this.#visitorOf(request);
    if (!this.#canFail(visitor)) return undefined;
    const failure = failureIn(item.payload, this.#options.release, release);
    return failure && this.#fail.bind(this, visitor, failure);
  }

  /**
   * Sends what was counted since the last time. Failures that are more than the documents are of
   * documents that were sent as healthy: they count with the next ones.
   */
  send(): void {
    const started = this.#documents;
    if (started === 0) return;
    const crashed = Math.min(this.#failures.crashed, started);
    const errored = Math.min(this.#failures.errored, started - crashed);
    this.#failures.crashed -= crashed;
    this.#failures.errored -= errored;
    this.#lastHealthy = started - crashed - errored;
    this.#documents = 0;
    // What was told of can't get worse.
    for (const [visitor, state] of this.#visitors) {
      if (state === "errored") this.#visitors.set(visitor, "crashed");
    }
    const minute = new Date(this.#since - (this.#since % minuteMs)).toISOString();
    this.#options.send({ started: minute, exited: this.#lastHealthy, errored, crashed });
  }

  #served(visitor: string): void {
    // To the end of the order.
    this.#visitors.delete(visitor);
    this.#visitors.set(visitor, "healthy");
    if (this.#visitors.size <= maxVisitors) return;
    const [oldest = visitor] = this.#visitors.keys();
    this.#visitors.delete(oldest);
  }

  /** Whatever a stranger posts, no more sessions fail than there are, and no more events are read. */
  #canFail(visitor: string): boolean {
    const state = this.#visitors.get(visitor);
    if (state === "errored") return true;
    const { errored, crashed } = this.#failures;
    return state === "healthy" && errored + crashed < this.#documents + this.#lastHealthy;
  }

  #fail(visitor: string, failure: FailedStatus): void {
    const before = this.#visitors.get(visitor);
    if (before === failure || !this.#canFail(visitor)) return;
    if (before === "errored") this.#failures.errored -= 1;
    this.#failures[failure] += 1;
    this.#visitors.set(visitor, failure);
  }

  #visitorOf(request: IncomingMessage): string {
    const agent = request.headers["user-agent"] ?? "";
    return hash("sha1", `${rateKey(this.#clientOf(request).address)} ${agent}`, "base64");
  }
}

/** Counts sessions from now on. The SDK, which must have started, sends them once a minute and at the end. */
export function startSessions(
  config: RuntimeConfig,
  excludeFromTracing?: readonly string[],
): Sessions {
  const client = getClient();
  const send = (counts: AggregationCounts) => client?.sendSession({ aggregates: [counts] });
  const sessions = new Sessions({ ...config, send, excludeFromTracing });
  client?.on("flush", () => sessions.send());
  setInterval(() => sessions.send(), minuteMs).unref();
  return sessions;
}

/** All browsers that are supported say so themselves, on https and on localhost. */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  const isPrefetch = /prefetch/.test(`${headers["sec-purpose"]} ${headers.purpose}`);
  return method === "GET" && headers["sec-fetch-dest"] === "document" && !isPrefetch;
}

function isDocument(
  request: IncomingMessage,
  response: ServerResponse,
  excludeFromTracing: readonly string[] = [],
): boolean {
  const route = routeOfRequest(request);
  const isExcluded = excludeFromTracing.some(
    (one) => route === one || route?.startsWith(`${one}/`),
  );
  if (isExcluded) return false;
  // A page that the browser still has is sent without a type.
  if (response.statusCode === 304) return route !== undefined && !/^\/api(\/|$)/.test(route);
  return /^text\/html\b/.test(String(response.getHeader("Content-Type")));
}

/** As the SDK decides it in a browser. */
function failureIn(
  payload: Uint8Array,
  ownRelease: string,
  pageRelease: string | undefined,
): FailedStatus | undefined {
  const event = parseJson(payload, eventLimits);
  if (!isRecord(event)) return undefined;
  // A page is open for longer than its server runs, and its own has told of its session.
  if ((event.release ?? pageRelease) !== ownRelease) return undefined;
  // Of a minimal envelope, before the tunnel has made an exception of it.
  if (isRecord(event.thrown)) return isUnhandled(event.thrown) ? "crashed" : "errored";
  const { values } = isRecord(event.exception) ? event.exception : {};
  if (!Array.isArray(values)) return undefined;
  return values.some(isUnhandled) ? "crashed" : "errored";
}

/** What Signpost itself notices, a failed navigation or a blocked source, ends no page. */
function isUnhandled(exception: unknown): boolean {
  const mechanism = isRecord(exception) ? exception.mechanism : undefined;
  if (!isRecord(mechanism)) return false;
  return mechanism.handled === false && !String(mechanism.type).startsWith("signpost.");
}
