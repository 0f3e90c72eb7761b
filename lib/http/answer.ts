import type { IncomingMessage, ServerResponse } from "node:http";
import { everywhere } from "./headers.js";
import { lingerBytes, lingerMs, smallBody } from "./limits";

export interface RelayAnswer {
  status: number;
  /** Waits for nothing more of the request. */
  hangUp?: boolean;
  headers?: Record<string, string>;
  body: { id: string | null } | { error: string; detail: string };
}

/** A refusal: a short code, and a sentence. */
export function refusal(
  status: number,
  error: string,
  detail: string,
  headers?: Record<string, string>,
): RelayAnswer {
  return { status, headers, body: { error, detail } };
}

/** Writes the answer as JSON. */
export function writeAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body, hangUp }: RelayAnswer,
): Promise<void> {
  return writeBytes(request, response, {
    status,
    headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
    bytes: Buffer.from(JSON.stringify(body)),
    hangUp,
  });
}

/**
 * Writes an answer to a request of which not all may have been read. What is still to come of a small body is passed over, and the connection
 * lives on. After a large one it is closed; not at once, for that would reset it and take the
 * answer from a client that is still sending: what comes until then is thrown away, within bounds.
 */
export async function writeBytes(
  request: IncomingMessage,
  response: ServerResponse,
  {
    status,
    headers,
    bytes,
    hangUp = false,
  }: Pick<RelayAnswer, "status" | "headers" | "hangUp"> & { bytes: Uint8Array },
): Promise<void> {
  const passesOver = request.complete || (!hangUp && isSmall(request));
  response.writeHead(status, {
    ...everywhere,
    "Content-Length": bytes.length,
    "Cache-Control": "no-store",
    ...headers,
    ...(passesOver ? {} : { Connection: "close" }),
  });
  if (passesOver || hangUp) {
    response.end(bytes);
    return;
  }
  response.write(bytes);
  await linger(request);
  response.end();
}

function isSmall({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return length !== undefined && Number(length) <= smallBody;
}

function linger(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let left = lingerBytes;
    const done = () => {
      clearTimeout(timer);
      request.off("data", count);
      request.pause();
      resolve();
    };
    const count = (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) done();
    };
    const timer = setTimeout(done, lingerMs);
    request.on("data", count);
    request.once("end", done);
    request.once("close", done);
    request.once("error", done);
    request.resume();
  });
}
