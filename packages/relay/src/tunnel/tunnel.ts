import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServiceLimits } from "../delivery/service-limits.ts";
import { type CategorySet, categoryOf, priorityOf } from "../envelope/categories.ts";
import {
  bytesOf,
  clientLimits,
  type Envelope,
  firstPriority,
  readEnvelope,
  withoutAddresses,
} from "../envelope/envelope.ts";
import { takesServerEventId } from "../envelope/server-ids.ts";
import {
  type ErrorResponse,
  errorResponses,
  respond,
  retryAfterSeconds,
  writeErrorResponse,
} from "../http/answers.ts";
import { type BodyLimits, bodyRefusal, readBody, requestBytes } from "../http/body.ts";
import type { BodyMemory } from "../http/body-memory.ts";
import { type Client, isCrossSite, shareKey } from "../http/client.ts";
import { ClientLimit, type Exceeded } from "../http/rates.ts";
import type { Log } from "../log.ts";
import { isOutboxError } from "../outbox/driver.ts";
import type { AppendDetails, Outbox } from "../outbox/outbox.ts";
import { fewAtOnce } from "../timing.ts";
import { decompress, type Encoding, readEncoding } from "./decompress.ts";

const { malformed, rateLimited, tooLarge, unavailable } = errorResponses;

/**
 * Bytes for which an envelope counts once more, as it is sent or after decompression: on the wire it can be a
 * thousand times smaller. An error has a fraction of that.
 */
const bytesPerCount = 100_000;
/** What is parsed and written anew costs so many times as much as what is stored as it came, and counts so. */
const costOfParsing = 10;
/**
 * How many bodies are decompressed at once, to bound what that takes beside them: a stream of brotli may
 * ask for 16 MiB. One is done in some milliseconds.
 */
const maxDecompressing = 2;

/**
 * What an app makes of a browser's envelope before it is stored.
 *
 * @param countParsing to be called just before payloads are parsed: that counts ten times their bytes for the rate
 *   of the sender. It throws where that was exceeded, which is answered with 429
 */
export type Receive = (
  envelope: Envelope,
  request: IncomingMessage,
  countParsing: () => void,
) => Promise<Received>;

/**
 * - `unwanted`: it is answered as if it were stored
 * - `malformed`: it is refused
 */
export type Received =
  | "unwanted"
  | "malformed"
  | {
      /** What is stored in its place. */
      instead?: Envelope | undefined;
      /** Called once it is stored. Must not throw, nor hold the items, which would stay in memory until then. */
      onStored?: (() => void) | undefined;
    };

export interface TunnelOptions extends Pick<BodyLimits, "totalMs" | "intervalMs"> {
  /** Resolves once the envelope is on disk. */
  append: Outbox["append"];
  /** What the service has asked not to be sent. */
  limits: Pick<ServiceLimits, "mayGo" | "wait" | "header">;
  /** Of one envelope, on the wire and decompressed. */
  maxBytes: number;
  /** Shared with everything else that reads bodies. */
  memory: BodyMemory;
  /** Envelopes a minute from one client address. */
  rate: number;
  /** The same from all: by default what two hundred busy addresses may send, and at least a thousand a second. */
  totalRate?: number;
  /** Of visitors' messages, shared with every other way that they come in. */
  feedbackLimit: ClientLimit;
  clientOf(request: IncomingMessage): Client;
  /** Must not reject for what the envelope holds. */
  receive?: Receive | undefined;
  /** Whether the client's address goes to the service. */
  reportClientIp: boolean;
  log: Log;
  /** Told of each envelope that is refused, with the code of the answer. Must not throw. */
  onRefused?(reason: string): void;
}

/** A request whose head has been let in. */
interface Sent {
  request: IncomingMessage;
  client: Client;
  encoding: Encoding;
  limits: BodyLimits;
}

/** An envelope as it is stored. */
interface Report {
  id: string | null;
  envelope: Uint8Array;
  read: AppendDetails["read"];
  /** How many messages of visitors are in it. */
  messages: number;
  /** See `Received`. */
  onStored?: (() => void) | undefined;
}

/** What each step throws that ends the request: with an answer, or without one where the client is gone. */
class Ended {
  constructor(readonly by: ErrorResponse | "gone") {}
}

/**
 * The server's end of the tunnel: takes one envelope over HTTP and answers 200 once it is on disk.
 *
 * The checks stand in the order of their cost but for the last, so that an error response is cheap. Method,
 * site, rates, encoding and declared size need the request's head alone. Then come reading the body within
 * its limits, decompression, what its size counts, framing, the event's id, what the app makes of it, and
 * the service's limits by category.
 */
export class Tunnel {
  readonly #options: TunnelOptions;
  readonly #rates: ClientLimit;
  readonly #decompressing = fewAtOnce(maxDecompressing);

  constructor(options: TunnelOptions) {
    this.#options = options;
    const { rate, totalRate = Math.max(200 * rate, 60_000) } = options;
    const networkMax = Math.max(rate, totalRate / 8);
    this.#rates = new ClientLimit({ max: rate, networkMax, totalMax: totalRate });
  }

  /** Answers any request. Never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const id = await this.#receive(request);
      const headers = this.#serviceLimitHeader();
      await respond(request, response, { status: 200, headers, body: { id } });
    } catch (error) {
      if (error instanceof Ended) {
        if (error.by === "gone") return;
        this.#options.onRefused?.(error.by.error);
        return writeErrorResponse(request, response, error.by);
      }
      const cause = error instanceof Error ? error.stack : String(error);
      this.#options.log("error", "tunnel failed", { cause });
      if (response.headersSent) response.destroy();
      else await writeErrorResponse(request, response, errorResponses.tunnelFailed);
    }
  }

  /** @returns the id of the event @throws {Ended} */
  async #receive(request: IncomingMessage): Promise<string | null> {
    const { clientOf, memory, maxBytes, totalMs, intervalMs } = this.#options;
    const { headers, method } = request;
    if (method !== "POST") throw new Ended(errorResponses.wrongMethod("POST"));
    const client = clientOf(request);
    if (isCrossSite(headers, client)) {
      throw new Ended(errorResponses.otherSite("Only pages of this site may send reports here."));
    }
    refuseIf(tooMany("envelopes", this.#rates.take(client.address)));
    const encoding = readEncoding(headers["content-encoding"]);
    if (!encoding) throw new Ended(errorResponses.unsupportedEncoding);
    const reservation = memory.reserve(shareKey(client.address));
    try {
      const onStart = (chunk: Uint8Array) => {
        if (encoding === "identity") reservation.priority = firstPriority(chunk);
      };
      const limits = { maxBytes, reservation, onStart, totalMs, intervalMs };
      const report = await this.#readReport({ request, client, encoding, limits });
      if (!report) return null;
      // Neither what was sent nor what was parsed is left while it is stored.
      keepOnly(report.envelope.length, limits);
      reservation.shrink(reservation.bytes - requestBytes(request));
      await this.#store(report, client);
      return report.id;
    } finally {
      reservation.release();
    }
  }

  /** @returns what is stored of it: nothing where nobody wants it */
  async #readReport(sent: Sent): Promise<Report | undefined> {
    const bytes = await this.#readBytes(sent);
    const envelope = readEnvelope(bytes, clientLimits);
    if ("fault" in envelope) {
      const { fault, detail } = envelope;
      throw new Ended(fault === "too_large" ? tooLarge(detail) : malformed(detail));
    }
    if (takesServerEventId(envelope)) throw new Ended(errorResponses.serverEventId);
    const countParsing = () => refuseIf(this.#charge(sent.client, costOfParsing * bytes.length));
    const received = (await this.#options.receive?.(envelope, sent.request, countParsing)) ?? {};
    if (received === "unwanted") return undefined;
    if (received === "malformed") throw new Ended(malformed("The envelope can't be completed."));
    // Only now: what nobody wants is no error response, which would show in the visitor's console.
    this.#checkServiceLimits(envelope.categories);
    const { header, body, categories, release } = received.instead ?? envelope;
    const { event_id: id } = envelope.header;
    return {
      id: typeof id === "string" && id.length <= 64 ? id : null,
      envelope: bytesOf({ header: withoutAddresses(header), body }),
      read: { categories, release },
      messages: envelope.items.filter(({ type }) => categoryOf(type) === "feedback").length,
      onStored: received.onStored,
    };
  }

  /** @returns the body, decompressed */
  async #readBytes({ request, client, encoding, limits }: Sent): Promise<Uint8Array> {
    const { maxBytes, reservation } = limits;
    const body = await readBody(request, limits);
    if (typeof body === "string") {
      // What was given up has taken memory, too.
      this.#charge(client, reservation.bytes);
      throw new Ended(body === "gone" ? body : bodyRefusal(body, limits));
    }
    if (encoding === "identity") {
      refuseIf(this.#charge(client, body.length));
      return body;
    }
    const bytes = await this.#decompressing(() => decompress(body, encoding, maxBytes));
    // What holds nothing, or is damaged, has taken as much time.
    const made = bytes instanceof Uint8Array ? bytes.length : 0;
    const cost = bytes === "too_large" ? maxBytes : Math.max(body.length, made);
    const exceeded = this.#charge(client, cost);
    if (bytes === "corrupt") throw new Ended(errorResponses.badEncoding(encoding));
    if (bytes === "too_large") throw new Ended(bodyRefusal(bytes, limits));
    refuseIf(exceeded);
    keepOnly(bytes.buffer.byteLength, limits);
    return bytes;
  }

  /** Counts an envelope again by its bytes. @returns why it is refused, if it is */
  #charge({ address }: Client, bytes: number): ErrorResponse | undefined {
    return tooMany("bytes", this.#rates.charge(address, Math.floor(bytes / bytesPerCount)));
  }

  /** Messages are of the same limit as the form's: each of an envelope counts, once it is stored. */
  async #store({ envelope, read, messages, onStored }: Report, client: Client): Promise<void> {
    const { append, feedbackLimit, reportClientIp } = this.#options;
    const { address } = client;
    const exceeded = feedbackLimit.take(address, messages);
    refuseIf(exceeded && rateLimited("Too many messages are being sent.", exceeded.seconds));
    const details = {
      read,
      clientAddress: reportClientIp ? address : undefined,
      senderKey: shareKey(address),
    };
    try {
      await append(envelope, "browser", details);
    } catch (error) {
      feedbackLimit.giveBack(address, messages);
      throw new Ended(whyNotStored(error));
    }
    onStored?.();
  }

  /** Refuses what nobody waits for, if the service limits all in it. The dispatcher keeps the rest. */
  #checkServiceLimits(categories: CategorySet): void {
    const { limits } = this.#options;
    if (priorityOf(categories) === "high" || limits.mayGo(categories)) return;
    const seconds = Math.max(Math.ceil(limits.wait(categories) / 1000), 1);
    throw new Ended(errorResponses.serviceLimited(seconds, this.#serviceLimitHeader()));
  }

  #serviceLimitHeader(): Record<string, string> {
    const limits = this.#options.limits.header();
    return limits ? { "X-Sentry-Rate-Limits": limits } : {};
  }
}

function tooMany(
  what: "envelopes" | "bytes",
  exceeded: Exceeded | undefined,
): ErrorResponse | undefined {
  if (!exceeded) return undefined;
  const { by, seconds } = exceeded;
  if (by !== "all") return rateLimited(`This ${by} sends too many ${what}.`, seconds);
  return rateLimited(`Too many ${what} come from all addresses together.`, seconds);
}

/** @param error of the outbox, which has logged why */
function whyNotStored(error: unknown): ErrorResponse {
  const fault = isOutboxError(error) ? error.fault : undefined;
  if (fault === "malformed") return errorResponses.unstorable;
  if (fault !== "over_quota") return unavailable("The report can't be stored at the moment.");
  return rateLimited("Too many reports of this address wait.", retryAfterSeconds);
}

function refuseIf(answer: ErrorResponse | undefined): void {
  if (answer) throw new Ended(answer);
}

/** Reserves memory for what was made of a body, in place of what was made of it before. */
function keepOnly(bytes: number, limits: BodyLimits): void {
  if (!limits.reservation.keep(bytes)) throw new Ended(bodyRefusal("no_capacity", limits));
}
