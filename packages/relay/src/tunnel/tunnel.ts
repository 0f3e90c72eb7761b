import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type CategorySet,
  categoryOf,
  categorySet,
  type Priority,
  priorityOf,
} from "../categories.ts";
import type { ServiceLimits } from "../delivery/service-limits.ts";
import {
  bytesOf,
  type Envelope,
  type EnvelopeItem,
  firstCategory,
  readEnvelope,
  withoutAddresses,
} from "../envelope/envelope.ts";
import { takesServerEventId } from "../envelope/server-ids.ts";
import {
  type ErrorResponse,
  errorResponses,
  respondJson,
  retryAfterSeconds,
  writeErrorResponse,
} from "../http/answers.ts";
import { type BodyFault, readBody, requestBytes } from "../http/body.ts";
import type { BodyMemory, BodyReservation } from "../http/body-memory.ts";
import { type Client, isCrossSite, senderKey, shareKey } from "../http/client.ts";
import type { ClientLimit } from "../http/rates.ts";
import { EnvelopeRates } from "../http/rates.ts";
import type { Log } from "../log.ts";
import { isOutboxError } from "../outbox/driver.ts";
import { type EnvelopeFacts, factsOf, type Outbox } from "../outbox/outbox.ts";
import { Decompressor, type Encoding, readEncoding } from "./decompress.ts";

const { fragmented, rateLimited, tooSlow, unavailable, unstorable, unsupportedEncoding } =
  errorResponses;

const crossSite = errorResponses.otherSite("Only pages of this site may send reports here.");

const serverEventId = errorResponses.badEnvelope(
  "server_event_id",
  "A browser's event can't have an id of the server's own.",
);

const maxItems = 100;
/**
 * An envelope whose header says `minimal` is for `receive` to complete. What is parsed and written anew costs ten times as much as what is stored as it came, and counts so.
 */
const costOfParsing = 10;
/** Bytes of one header line. */
const maxHeaderLine = 16 * 1024;
/** Fields of all header lines together, and parts of these. Parsed, one of two bytes takes sixty. */
const maxHeaderValues = 2_000;

/** What an app makes of a browser's envelope before it is stored. */
export type Receive = (envelope: Envelope, request: IncomingMessage) => Promise<Received>;

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

export interface TunnelOptions {
  /** Resolves once the envelope is on disk. */
  append: Outbox["append"];
  /** What the service has asked not to be sent. */
  limits: Pick<ServiceLimits, "mayGo" | "wait" | "header">;
  /** Of one envelope, on the wire and decompressed. */
  maxBytes: number;
  /** Shared with everything else that reads bodies. */
  memory: BodyMemory;
  /** Envelopes a minute from one client address, see `EnvelopeRates`. */
  rate: number;
  /** The same from all addresses together. */
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
  /** @see BodyLimits */
  bodyMs?: number;
  bodyIntervalMs?: number;
}

interface Accepted {
  id: string | null;
  headers: Record<string, string>;
}

/** An envelope as it is stored. */
interface Report extends Pick<Accepted, "id"> {
  envelope: Uint8Array;
  facts: EnvelopeFacts;
  /** See `Received`. */
  onStored?: (() => void) | undefined;
}

/**
 * The server's end of the tunnel: takes one envelope over HTTP and answers 200 once it is on disk.
 *
 * The checks stand in the order of their cost, so that an error response is cheap. Method, site, rates,
 * encoding and declared size need the request's head alone. Then come reading the body within its
 * limits, decompression, what its size counts, framing, and the service's limits by category.
 */
export class Tunnel {
  readonly #options: TunnelOptions;
  readonly #rates: EnvelopeRates;
  readonly #decompressor = new Decompressor();

  constructor(options: TunnelOptions) {
    this.#options = options;
    this.#rates = new EnvelopeRates(options.rate, options.totalRate);
  }

  /** Answers any request. Never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const outcome = await this.#receive(request);
      if (outcome === "gone") return;
      if ("error" in outcome) {
        this.#options.onRefused?.(outcome.error);
        return await writeErrorResponse(request, response, outcome);
      }
      const { id, headers } = outcome;
      await respondJson(request, response, { status: 200, headers, body: { id } });
    } catch (error) {
      const cause = error instanceof Error ? error.stack : String(error);
      this.#options.log("error", "tunnel failed", { cause });
      if (response.headersSent) response.destroy();
      else await writeErrorResponse(request, response, errorResponses.tunnelFailed);
    }
  }

  async #receive(request: IncomingMessage): Promise<Accepted | ErrorResponse | "gone"> {
    const { headers, method } = request;
    if (method !== "POST") return errorResponses.wrongMethod("POST");
    const client = this.#options.clientOf(request);
    if (isCrossSite(headers, client)) return crossSite;
    const tooMany = await this.#rates.take(client);
    if (tooMany) return tooMany;
    const encoding = readEncoding(headers["content-encoding"]);
    if (!encoding) return unsupportedEncoding;
    if (Number(headers["content-length"] ?? 0) > this.#options.maxBytes) return this.#tooLarge();
    return this.#receiveBody(request, encoding, client);
  }

  /** Reads and stores the body, and releases its memory. */
  async #receiveBody(
    request: IncomingMessage,
    encoding: Encoding,
    client: Client,
  ): Promise<Accepted | ErrorResponse | "gone"> {
    const reservation = this.#options.memory.reserve(shareKey(client.address));
    try {
      const report = await this.#readReport(request, encoding, client, reservation);
      return report !== "gone" && "envelope" in report ? await this.#store(report, client) : report;
    } finally {
      reservation.release();
    }
  }

  /** @returns all that is left in memory while it is stored: neither what was sent nor what was parsed */
  async #readReport(
    request: IncomingMessage,
    encoding: Encoding,
    client: Client,
    reservation: BodyReservation,
  ): Promise<Report | Accepted | ErrorResponse | "gone"> {
    const bytes = await this.#readBytes(request, encoding, client, reservation);
    if (!(bytes instanceof Uint8Array)) return bytes;
    const report = await this.#complete(bytes, client, request);
    if (!("envelope" in report)) return report;
    if (!reservation.keep(report.envelope.length)) {
      return this.#bodyError("no_capacity", reservation);
    }
    reservation.shrink(reservation.bytes - requestBytes(request));
    return report;
  }

  /** @returns the body, decompressed */
  async #readBytes(
    request: IncomingMessage,
    encoding: Encoding,
    client: Client,
    reservation: BodyReservation,
  ): Promise<Uint8Array | ErrorResponse | "gone"> {
    const { maxBytes, bodyMs, bodyIntervalMs } = this.#options;
    const onStart = (chunk: Uint8Array) => {
      if (encoding === "identity") reservation.priority = firstPriority(chunk);
    };
    const limits = { maxBytes, reservation, onStart, totalMs: bodyMs, intervalMs: bodyIntervalMs };
    const body = await readBody(request, limits);
    // What was given up has taken memory, too.
    if (typeof body === "string") await this.#rates.charge(client, reservation.bytes);
    if (typeof body === "string") return this.#bodyError(body, reservation);
    const bytes = await this.#decompressor.decompress(body, encoding, maxBytes);
    const tooMuch = await this.#rates.charge(client, bytesToCharge(bytes, maxBytes));
    if (bytes === "too_large") return this.#tooLarge();
    if (tooMuch) return tooMuch;
    if (bytes === "corrupt") return errorResponses.badEncoding(encoding);
    if (encoding === "identity" || reservation.keep(bytes.buffer.byteLength)) return bytes;
    return this.#bodyError("no_capacity", reservation);
  }

  async #store(
    { id, envelope, facts, onStored }: Report,
    client: Client,
  ): Promise<Accepted | ErrorResponse> {
    const { append, reportClientIp } = this.#options;
    const clientAddress = reportClientIp ? client.address : undefined;
    const sender = senderKey(client.address);
    try {
      await append(envelope, "browser", { facts, clientAddress, sender });
    } catch (error) {
      // The outbox has logged why.
      const fault = isOutboxError(error) ? error.fault : undefined;
      if (fault === "malformed") return unstorable;
      if (fault === "over_quota") {
        return rateLimited("Too many reports of this address wait.", retryAfterSeconds);
      }
      return unavailable("The report can't be stored at the moment.");
    }
    onStored?.();
    return { id, headers: this.#serviceLimitHeader() };
  }

  /** Reads the envelope, and makes of it what is stored. */
  async #complete(
    bytes: Uint8Array,
    client: Client,
    request: IncomingMessage,
  ): Promise<Report | ErrorResponse | Accepted> {
    const envelope = readEnvelope(bytes, { maxHeaderLine, maxHeaderValues, maxItems });
    if ("fault" in envelope) {
      const { fault, detail } = envelope;
      if (fault === "too_large") return errorResponses.tooLarge(detail);
      return errorResponses.badEnvelope(fault, detail);
    }
    if (takesServerEventId(envelope)) return serverEventId;
    const { header, categories, items } = envelope;
    if (header.minimal !== undefined) {
      const tooMuch = await this.#rates.charge(client, costOfParsing * bytes.length);
      if (tooMuch) return tooMuch;
    }
    const received = (await this.#options.receive?.(envelope, request)) ?? {};
    if (received === "unwanted") return { id: null, headers: this.#serviceLimitHeader() };
    if (received === "malformed") {
      return errorResponses.malformed("The envelope is marked minimal, and holds no such event.");
    }
    const limited =
      this.#checkServiceLimits(categories) ?? (await this.#takeMessages(items, client));
    if (limited) return limited;
    // An envelope of the SDK is complete.
    const made = received.instead ?? {
      ...envelope,
      header: withoutAddresses(withoutOwnFields(header)),
    };
    return {
      id: eventIdOf(header),
      envelope: bytesOf(made),
      facts: factsOf(made),
      onStored: received.onStored,
    };
  }

  /** Refuses what nobody waits for, if the service limits all in it. The dispatcher keeps the rest. */
  #checkServiceLimits(categories: CategorySet): ErrorResponse | undefined {
    const { limits } = this.#options;
    if (priorityOf(categories) === "high" || limits.mayGo(categories) === "send") return undefined;
    const seconds = Math.ceil(limits.wait(categories) / 1000);
    return errorResponses.serviceLimited(Math.max(seconds, 1), this.#serviceLimitHeader());
  }

  /** Of the same limit as the form's messages: each of an envelope counts. */
  async #takeMessages(
    items: readonly EnvelopeItem[],
    { address }: Client,
  ): Promise<ErrorResponse | undefined> {
    const messages = items.filter(({ type }) => categoryOf(type) === "feedback").length;
    if (messages === 0) return undefined;
    const exceeded = await this.#options.feedbackLimit.take(address, messages);
    return exceeded && rateLimited("Too many messages are being sent.", exceeded.seconds);
  }

  #serviceLimitHeader(): Record<string, string> {
    const limits = this.#options.limits.header();
    return limits ? { "X-Sentry-Rate-Limits": limits } : {};
  }

  #tooLarge(): ErrorResponse {
    return errorResponses.tooLarge(`An envelope may have at most ${this.#options.maxBytes} bytes.`);
  }

  #bodyError(fault: BodyFault, { exceededShare }: BodyReservation): ErrorResponse | "gone" {
    if (fault === "gone") return fault;
    if (fault === "too_large") return this.#tooLarge();
    if (fault === "fragmented") return fragmented;
    if (fault === "too_slow") return tooSlow;
    return exceededShare
      ? rateLimited("This address sends too much at once.", retryAfterSeconds)
      : unavailable("Too many reports arrive at once.");
  }
}

/** @returns how many bytes were decompressed: the maximum if there are more, 0 if they are corrupt */
function bytesToCharge(bytes: Uint8Array | "too_large" | "corrupt", maxBytes: number): number {
  if (bytes === "corrupt") return 0;
  return bytes === "too_large" ? maxBytes : bytes.length;
}

/** SDKs put an error first in its envelope. An unknown category counts as an error. */
function firstPriority(chunk: Uint8Array): Priority {
  const category = firstCategory(chunk, maxHeaderLine);
  return category === undefined ? "high" : priorityOf(categorySet([category]));
}

/** `minimal` and `sampled` are for `receive`: Sentry's protocol has no such fields. */
function withoutOwnFields(header: Record<string, unknown>): Record<string, unknown> {
  if (header.minimal === undefined) return header;
  const { minimal: _, sampled: __, ...rest } = header;
  return rest;
}

function eventIdOf({ event_id }: Record<string, unknown>): string | null {
  return typeof event_id === "string" && event_id.length <= 64 ? event_id : null;
}
