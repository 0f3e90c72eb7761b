import type { IncomingMessage } from "node:http";
import { type ErrorResponse, errorResponses, retryAfterSeconds } from "./answers.ts";
import type { BodyReservation } from "./body-memory.ts";

/** A body must be complete within this time. */
const maxTotalMs = 20_000;
/** Until then, a minimum of bytes must arrive in each interval. */
const defaultIntervalMs = 5_000;
const minBytesPerSecond = 1024;
/** What a request takes beside its body: connection, objects, answer; and each name and value in its head. */
const bytesOfRequest = 24 * 1024;
const bytesOfHeaderPart = 128;
const minCapacity = 4 * 1024;

export interface BodyLimits {
  maxBytes: number;
  /** Grows before memory is taken. The caller releases it. */
  reservation: BodyReservation;
  /** Called with the first chunk before the reservation grows for it. */
  onStart?: (chunk: Uint8Array) => void;
  totalMs?: number;
  intervalMs?: number;
}

/**
 * - `fragmented`: see `isFragmented`
 * - `no_capacity`: the memory for bodies is used up, by this address or by all
 * - `gone`: the client has disconnected, nobody waits for a response
 */
export type BodyFault = "too_large" | "fragmented" | "too_slow" | "no_capacity" | "gone";

/**
 * Whether a body comes in chunks of a few bytes. Each chunk is an object of some 500 bytes, and takes
 * microseconds of the event loop, however little is in it. The packets of a slow network hold more.
 */
export function isFragmented(chunks: number, bytes: number): boolean {
  return chunks > 100 + bytes / 400;
}

/** What is in memory of a request beside its body. */
export function requestBytes({ rawHeaders }: IncomingMessage): number {
  return bytesOfRequest + rawHeaders.length * bytesOfHeaderPart;
}

/** Reads a request's body as it is on the wire. Stops reading as soon as a limit is exceeded. */
export function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
): Promise<Uint8Array | BodyFault> {
  const { maxBytes, reservation, onStart } = limits;
  const { totalMs = maxTotalMs, intervalMs = defaultIntervalMs } = limits;
  return new Promise((resolve) => {
    const declared = Number(request.headers["content-length"] ?? maxBytes);
    const body = new GrowingBuffer(reservation, Math.min(declared, maxBytes));
    let chunks = 0;
    let length = 0;
    let lengthBefore = 0;
    const settle = (result: Uint8Array | BodyFault) => {
      clearTimeout(total);
      clearInterval(interval);
      request.pause();
      request.off("data", keep).off("end", ended).off("close", gone).off("error", gone);
      request.on("error", ignore);
      resolve(result);
    };
    const keep = (chunk: Buffer) => {
      if (length === 0) onStart?.(chunk);
      chunks += 1;
      length += chunk.length;
      if (length > maxBytes) settle("too_large");
      else if (isFragmented(chunks, length)) settle("fragmented");
      else if (!body.append(chunk)) settle("no_capacity");
    };
    const ended = () => settle(body.bytes());
    const gone = () => settle("gone");
    const slow = () => settle("too_slow");
    const total = setTimeout(slow, totalMs);
    const interval = setInterval(() => {
      if (length - lengthBefore < (minBytesPerSecond * intervalMs) / 1000) slow();
      lengthBefore = length;
    }, intervalMs);
    request.on("data", keep).on("end", ended).on("close", gone).on("error", gone);
    if (request.destroyed) gone();
    else if (declared > maxBytes) settle("too_large");
    else if (!reservation.grow(requestBytes(request))) settle("no_capacity");
  });
}

/**
 * A later error matters to nobody, but without a listener it would end the process. One made beside the body
 * would keep that in memory for as long as the request lives.
 */
const ignore = () => {};

/** One buffer for all chunks, so that what is reserved for it is what it takes. */
class GrowingBuffer {
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  /** @param maxBytes that will be appended at most */
  constructor(
    private readonly reservation: BodyReservation,
    private readonly maxBytes: number,
  ) {}

  /** @returns whether there was room */
  append(chunk: Buffer): boolean {
    const needed = this.#length + chunk.length;
    // Most bodies are one chunk, which Node has copied already. A part of a larger buffer would keep all of it.
    if (this.#length === 0 && chunk.length === chunk.buffer.byteLength) {
      if (!this.reservation.grow(chunk.length)) return false;
      this.#buffer = chunk;
    } else {
      if (needed > this.#buffer.length && !this.#growFor(needed)) return false;
      this.#buffer.set(chunk, this.#length);
    }
    this.#length = needed;
    return true;
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** While it is copied, both are there. */
  #growFor(needed: number): boolean {
    const doubled = Math.min(2 * this.#buffer.length, this.maxBytes);
    const capacity = Math.max(needed, doubled, Math.min(minCapacity, this.maxBytes));
    if (!this.reservation.grow(capacity)) return false;
    const before = this.#buffer;
    this.#buffer = Buffer.allocUnsafeSlow(capacity);
    this.#buffer.set(before.subarray(0, this.#length));
    this.reservation.shrink(before.length);
    return true;
  }
}

/** Why a body was not read. */
export function bodyRefusal(
  fault: Exclude<BodyFault, "gone">,
  { maxBytes, reservation }: BodyLimits,
): ErrorResponse {
  if (fault === "too_large") {
    return errorResponses.tooLarge(`The body may have at most ${maxBytes} bytes.`);
  }
  if (fault === "too_slow") return errorResponses.tooSlow;
  if (fault === "fragmented") return errorResponses.fragmented;
  return reservation.exceededShare
    ? errorResponses.rateLimited("This address sends too much at once.", retryAfterSeconds)
    : errorResponses.unavailable("Too much is being sent at once.");
}
