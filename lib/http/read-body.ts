import type { IncomingMessage } from "node:http";
import type { Hold } from "./body-memory";
import { bodyMs, bodySpanMs, leastBytesPerSecond } from "./limits";

export interface BodyLimits {
  maxBytes: number;
  /** Asked before each chunk is kept; where it has no room, the body is given up. */
  hold: Hold;
  totalMs?: number;
  /** The time in which the least must have come, again and again. */
  spanMs?: number;
}

/** - `gone`: the client broke off, there is nobody to answer */
export type BodyFault = "too_large" | "too_slow" | "no_room" | "gone";

/** Reads a request's body as it came over the wire, and stops reading where a limit is passed. */
export function readBody(
  request: IncomingMessage,
  { maxBytes, hold, totalMs = bodyMs, spanMs = bodySpanMs }: BodyLimits,
): Promise<Uint8Array | BodyFault> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let length = 0;
    let lengthBefore = 0;
    const settle = (result: Uint8Array | BodyFault) => {
      clearTimeout(total);
      clearInterval(spans);
      // Or the listener below would keep them for as long as the request lives.
      chunks = [];
      request.pause();
      request.off("data", keep).off("end", ended).off("close", gone).off("error", gone);
      // An error that comes later has nobody to tell, and must not end the process.
      request.on("error", () => {});
      resolve(result);
    };
    const keep = (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) settle("too_large");
      else if (!hold.take(chunk.length)) settle("no_room");
      else chunks.push(chunk);
    };
    const ended = () =>
      settle(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    const gone = () => settle("gone");
    const slow = () => settle("too_slow");
    const total = setTimeout(slow, totalMs);
    const spans = setInterval(() => {
      if (length - lengthBefore < (leastBytesPerSecond * spanMs) / 1000) slow();
      lengthBefore = length;
    }, spanMs);
    request.on("data", keep).on("end", ended).on("close", gone).on("error", gone);
    if (request.destroyed) gone();
  });
}
