import type { IncomingMessage, ServerResponse } from "node:http";
import { withoutAddresses } from "@/lib/envelope/address-envelope";
import { type CategorySet, everyCategory, internalOnly } from "@/lib/envelope/categories";
import { readEnvelope } from "@/lib/envelope/read-envelope";
import { headerLine } from "@/lib/envelope/write-envelope";
import { type RelayAnswer, refusal, writeAnswer } from "@/lib/http/answer";
import type { BytesInHand } from "@/lib/http/body-memory";
import { type Client, clientReader, rateKey } from "@/lib/http/client-address";
import { comesFromOtherSite } from "@/lib/http/cross-site";
import { maxHeaderLine, maxItems, rateOfAll, retryAfterSeconds } from "@/lib/http/limits";
import { Rate } from "@/lib/http/rate-limit";
import { type BodyFault, readBody } from "@/lib/http/read-body";
import type { LogFields, LogLevel } from "@/lib/log";
import type { Outbox } from "@/lib/outbox/outbox";
import { decompress, type Encoding, readEncoding } from "./decompress";

export interface RelayOptions {
  /** Resolves once the envelope is on disk. */
  append: Outbox["append"];
  /** What the service has asked not to be sent. */
  limits: {
    limited(): CategorySet;
    /** Milliseconds. */
    wait(categories: CategorySet): number;
    /** A value for `X-Sentry-Rate-Limits`. */
    header(): string | undefined;
  };
  /** Of one envelope, on the wire and unpacked. */
  maxBytes: number;
  /** Shared with whatever else takes in bodies. */
  inHand: BytesInHand;
  /** Envelopes a minute and client address. */
  rate: number;
  /** The same from all addresses together. */
  rateOfAll?: number;
  trustedProxies: string[];
  /** Whether the client's address goes to the service. */
  reportClientIp: boolean;
  log(level: LogLevel, event: string, fields?: LogFields): void;
  /** Milliseconds a body may take, and in which each time the least of it must come. */
  bodyMs?: number;
  bodySpanMs?: number;
}

/**
 * The tunnel's end on the server: takes one envelope over HTTP, and says 200 once it is on disk.
 *
 * Checks stand in the order of what they cost, so that a refusal is cheap: method, site, rates,
 * encoding and declared size need the request's head alone; then come the body under its limits,
 * its unpacking, its framing, and the service's limits by category.
 */
export class Relay {
  readonly #options: RelayOptions;
  readonly #clientOf: (request: IncomingMessage) => Client;
  readonly #rate: Rate;
  readonly #rateOfAll: Rate;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#clientOf = clientReader(options.trustedProxies);
    this.#rate = new Rate(options.rate);
    this.#rateOfAll = new Rate(options.rateOfAll ?? rateOfAll(options.rate));
  }

  /** Answers the request, whatever it is. Never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const answer = await this.#answer(request);
      if (answer !== "gone") await writeAnswer(request, response, answer);
    } catch (error) {
      const cause = error instanceof Error ? error.stack : String(error);
      this.#options.log("error", "relay failed", { cause });
      if (response.headersSent) response.destroy();
      else await writeAnswer(request, response, refusal(500, "failed", "The relay has failed."));
    }
  }

  async #answer(request: IncomingMessage): Promise<RelayAnswer | "gone"> {
    const { headers, method } = request;
    if (method !== "POST") {
      return refusal(405, "method_not_allowed", "Envelopes come by POST.", { Allow: "POST" });
    }
    const client = this.#clientOf(request);
    if (comesFromOtherSite(headers, client.behindTrustedProxy)) {
      return refusal(403, "other_site", "Only this site's own pages report here.");
    }
    const tooMany = await this.#tooMany(client);
    if (tooMany) return tooMany;
    const encoding = readEncoding(headers["content-encoding"]);
    if (!encoding) {
      const detail = "The content encoding must be identity, gzip, deflate or br.";
      return refusal(415, "unsupported_encoding", detail, {
        "Accept-Encoding": "gzip, deflate, br",
      });
    }
    if (Number(headers["content-length"] ?? 0) > this.#options.maxBytes) return this.#tooLarge();
    return this.#takeIn(request, encoding, client);
  }

  /** What one address is refused for is not held against all. */
  async #tooMany({ address }: Client): Promise<RelayAnswer | undefined> {
    const wait = await this.#rate.take(rateKey(address));
    if (wait > 0) return tooManyEnvelopes("This address sends too many envelopes.", wait);
    const waitOfAll = await this.#rateOfAll.take("all");
    if (waitOfAll === 0) return undefined;
    return tooManyEnvelopes("Too many envelopes come from all addresses together.", waitOfAll);
  }

  /** Reads the body and deals with it, giving back the memory it took. */
  async #takeIn(
    request: IncomingMessage,
    encoding: Encoding,
    client: Client,
  ): Promise<RelayAnswer | "gone"> {
    const { maxBytes, bodyMs, bodySpanMs, inHand } = this.#options;
    const hold = inHand.hold(rateKey(client.address));
    try {
      const limits = { maxBytes, hold, totalMs: bodyMs, spanMs: bodySpanMs };
      const body = await readBody(request, limits);
      if (body === "no_room" && hold.overShare) return tooManyAtOnce();
      if (typeof body === "string") return this.#withoutBody(body);
      const bytes = await this.#unpack(body, encoding);
      if (bytes === "no_room") return this.#withoutBody(bytes);
      if (bytes === "too_large") return this.#tooLarge();
      if (bytes === "corrupt") {
        return refusal(400, "bad_encoding", `The body is not whole ${encoding}.`);
      }
      return await this.#keep(bytes, client);
    } finally {
      hold.giveBack();
    }
  }

  /** How long this takes is not the client's to say: no address's share is charged. */
  async #unpack(body: Uint8Array, encoding: Encoding) {
    const { maxBytes, inHand } = this.#options;
    const room = encoding === "identity" ? 0 : maxBytes;
    if (!inHand.take(room)) return "no_room";
    try {
      return await decompress(body, encoding, maxBytes);
    } finally {
      inHand.giveBack(room);
    }
  }

  async #keep(bytes: Uint8Array, client: Client): Promise<RelayAnswer> {
    const { append, reportClientIp } = this.#options;
    const envelope = readEnvelope(bytes, { maxHeaderLine, maxItems });
    if ("fault" in envelope) {
      const tooLarge = envelope.fault === "too_large";
      return refusal(tooLarge ? 413 : 400, envelope.fault, envelope.detail);
    }
    const { header, body, categories } = envelope;
    const slowDown = this.#slowDown(categories);
    if (slowDown) return slowDown;

    const unaddressed = Buffer.concat([headerLine(withoutAddresses(header)), body]);
    const clientAddress = reportClientIp ? client.address : undefined;
    try {
      await append(unaddressed, "browser", { categories, clientAddress });
    } catch {
      // The outbox has logged why.
      return unkept("The report can't be kept just now.");
    }
    const id = idOf(header);
    return { status: 200, headers: this.#limitHeader(), body: { id } };
  }

  /** The service's wish, where it takes nothing of what is in the envelope. */
  #slowDown(categories: CategorySet): RelayAnswer | undefined {
    const limited = this.#options.limits.limited();
    if (limited === 0) return undefined;
    const counted = categories & ~internalOnly;
    const takesSome = counted === 0 ? limited !== everyCategory : (counted & ~limited) !== 0;
    if (takesSome) return undefined;
    const seconds = Math.ceil(this.#options.limits.wait(categories) / 1000);
    return refusal(429, "service_limited", "The service has asked for fewer reports.", {
      "Retry-After": String(Math.max(seconds, 1)),
      ...this.#limitHeader(),
    });
  }

  #limitHeader(): Record<string, string> {
    const limits = this.#options.limits.header();
    return limits ? { "X-Sentry-Rate-Limits": limits } : {};
  }

  #tooLarge(): RelayAnswer {
    const detail = `An envelope may have ${this.#options.maxBytes} bytes.`;
    return refusal(413, "too_large", detail);
  }

  #withoutBody(fault: BodyFault): RelayAnswer | "gone" {
    if (fault === "gone") return fault;
    if (fault === "too_large") return this.#tooLarge();
    if (fault === "no_room") return unkept("Too many reports come in at once.");
    const late = refusal(400, "incomplete", "The envelope took too long to arrive.");
    return { ...late, hangUp: true };
  }
}

function unkept(detail: string): RelayAnswer {
  return refusal(503, "unavailable", detail, { "Retry-After": String(retryAfterSeconds) });
}

function idOf({ event_id }: Record<string, unknown>): string | null {
  return typeof event_id === "string" && event_id.length <= 64 ? event_id : null;
}

function tooManyEnvelopes(detail: string, seconds: number): RelayAnswer {
  return refusal(429, "rate_limited", detail, { "Retry-After": String(seconds) });
}

/** The client's own doing, so not a fault of the server's. */
function tooManyAtOnce(): RelayAnswer {
  const detail = "Too much is being sent from this address at once.";
  return tooManyEnvelopes(detail, retryAfterSeconds);
}
