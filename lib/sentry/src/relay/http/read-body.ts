import type { IncomingMessage } from "node:http";
import type { BodyReservation } from "./body-memory.ts";

/** A body must be complete within this time. */
const maxTotalMs = 20_000;
/** Until then, a minimum of bytes must arrive in each interval. */
const defaultIntervalMs = 5_000;
const minBytesPerSecond = 1024;

export interface BodyLimits {
  maxBytes: number;
  /** Grows before each chunk is kept. The caller releases it. */
  reservation: BodyReservation;
  /** Called with the first chunk before the reservation grows for it. */
  onStart?: (chunk: Uint8Array) => void;
  totalMs?: number;
  intervalMs?: number;
}

/**
 * - `no_capacity`: the memory for bodies is used up, by this address or by all
 * - `gone`: the client has disconnected, nobody waits for a response
 */
export type BodyFault = "too_large" | "too_slow" | "no_capacity" | "gone";

/** Reads a request's body as it is on the wire. Stops reading as soon as a limit is exceeded. */
export function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
): Promise<Uint8Array | BodyFault> {
  const { maxBytes, reservation, onStart } = limits;
  const { totalMs = maxTotalMs, intervalMs = defaultIntervalMs } = limits;
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let length = 0;
    let lengthBefore = 0;
    const settle = (result: Uint8Array | BodyFault) => {
      clearTimeout(total);
      clearInterval(interval);
      // The error listener below would keep the chunks in memory for as long as the request lives.
      chunks = [];
      request.pause();
      request.off("data", keep).off("end", ended).off("close", gone).off("error", gone);
      // A later error matters to nobody, but without a listener it would end the process.
      request.on("error", () => {});
      resolve(result);
    };
    const keep = (chunk: Buffer) => {
      if (length === 0) onStart?.(chunk);
      length += chunk.length;
      if (length > maxBytes) settle("too_large");
      else if (!reservation.grow(chunk.length)) settle("no_capacity");
      else chunks.push(chunk);
    };
    const ended = () =>
      settle(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    const gone = () => settle("gone");
    const slow = () => settle("too_slow");
    const total = setTimeout(slow, totalMs);
    const interval = setInterval(() => {
      if (length - lengthBefore < (minBytesPerSecond * intervalMs) / 1000) slow();
      lengthBefore = length;
    }, intervalMs);
    request.on("data", keep).on("end", ended).on("close", gone).on("error", gone);
    if (request.destroyed) gone();
  });
}
