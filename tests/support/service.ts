import http from "node:http";
import type { Socket } from "node:net";
import { gunzipSync } from "node:zlib";
import { freePort } from "./free-port.js";

/** An item as it reached the service. */
export interface ReceivedItem {
  header: Record<string, unknown>;
  /** The payload, parsed where it is JSON. */
  payload: unknown;
  bytes: Buffer;
}

export interface ReceivedEnvelope {
  path: string;
  requestHeaders: http.IncomingHttpHeaders;
  header: Record<string, unknown>;
  items: ReceivedItem[];
  raw: Buffer;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  /** The status it was answered with. */
  status: number;
}

export interface ServiceAnswer {
  status: number;
  headers?: Record<string, string>;
  /** In place of the service's own. */
  body?: string;
}

/**
 * What the service does with the next envelopes:
 * - "ok": takes them
 * - "refuse": its port is closed
 * - "reset": breaks the connection after it has read the envelope
 * - "resetReused": breaks connections that were used before, and takes what comes over new ones
 * - "hang": never answers
 * - `slow`: takes them after so many milliseconds
 * - `unfinished`: takes them, and then keeps back the rest of its answer, or breaks the connection
 * - `answers`: gives these answers one after another, the last one ever after
 * - a function: gives the answer to this very envelope
 */
export type Behaviour =
  | "ok"
  | "refuse"
  | "reset"
  | "resetReused"
  | "hang"
  | { slow: number }
  | { unfinished: "hang" | "reset" }
  | { answers: (number | ServiceAnswer)[] }
  | ((envelope: ReceivedEnvelope) => number | ServiceAnswer);

export interface Service {
  url: string;
  dsn: string;
  /** All that was read in full and answered 2xx, in order. */
  envelopes: ReceivedEnvelope[];
  /** All that was read in full, whatever was answered. */
  attempts: ReceivedEnvelope[];
  /** What a server has sent as it started, to hear an answer: it is not among the others. */
  questions: ReceivedEnvelope[];
  /** Items of one type in all envelopes taken. */
  items(type: string): ReceivedItem[];
  /** What these hold. */
  payloads<T = unknown>(type: string): T[];
  /** The ids of the events taken. */
  eventIds(): string[];
  /**
   * Resolves with what the predicate gives as soon as it gives something true; it is asked again
   * after each envelope.
   */
  waitFor<T>(predicate: (service: Service) => T | undefined | false, ms?: number): Promise<T>;
  behave(behaviour: Behaviour): Promise<void>;
  close(): Promise<void>;
}

export const publicKey = "0123456789abcdef0123456789abcdef";

/** A local stand-in of an error-reporting service: `POST /api/42/envelope/` on a port of its own. */
export async function startService(options: { port?: number } = {}): Promise<Service> {
  const port = options.port ?? (await freePort());
  let behaviour: Behaviour = "ok";
  const sockets = new Set<Socket>();
  const used = new WeakSet<Socket>();
  const watchers = new Set<() => void>();

  const server = http.createServer((request, response) => {
    // Such as the script of the dialog for feedback.
    if (request.method !== "POST") return void response.writeHead(404).end();
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const raw = Buffer.concat(chunks);
      const attempt: ReceivedEnvelope = {
        path: request.url ?? "",
        requestHeaders: request.headers,
        ...parse(request.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw),
        raw,
        receivedAt: Date.now(),
        status: 0,
      };
      (isQuestion(attempt) ? service.questions : service.attempts).push(attempt);
      answer(attempt, response);
      for (const watch of watchers) watch();
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });

  function answer(attempt: ReceivedEnvelope, response: http.ServerResponse): void {
    if (behaviour === "hang") return;
    const { socket } = response;
    const reused = socket !== null && used.has(socket);
    if (socket) used.add(socket);
    if (behaviour === "reset" || (behaviour === "resetReused" && reused)) {
      socket?.resetAndDestroy();
      return;
    }
    const { status, headers, body } = nextAnswer(behaviour, attempt);
    attempt.status = status;
    const isTaken = status >= 200 && status < 300 && !isQuestion(attempt);
    if (isTaken) service.envelopes.push(attempt);
    const id = typeof attempt.header.event_id === "string" ? attempt.header.event_id : undefined;
    const send = () => {
      if (typeof behaviour === "object" && "unfinished" in behaviour) {
        const { unfinished } = behaviour;
        response.writeHead(status, { "Content-Length": 1000 });
        response.write("{", () => unfinished === "reset" && socket?.resetAndDestroy());
        return;
      }
      response.writeHead(status, { "Content-Type": "application/json", ...headers });
      response.end(body ?? JSON.stringify({ id }));
    };
    if (typeof behaviour === "object" && "slow" in behaviour) setTimeout(send, behaviour.slow);
    else send();
  }

  const listen = (at: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(at, "127.0.0.1", () => {
        server.off("error", reject);
        resolve();
      });
    });
  const shut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });

  await listen(port);
  const service: Service = {
    url: `http://127.0.0.1:${port}`,
    dsn: `http://${publicKey}@127.0.0.1:${port}/42`,
    envelopes: [],
    attempts: [],
    questions: [],
    items(type) {
      return service.envelopes.flatMap(({ items }) => items.filter((i) => i.header.type === type));
    },
    payloads<T>(type: string) {
      return service.items(type).map(({ payload }) => payload as T);
    },
    eventIds() {
      return service.payloads<{ event_id: string }>("event").map(({ event_id }) => event_id);
    },
    waitFor(predicate, ms = 30_000) {
      return new Promise((resolve, reject) => {
        const finish = (settle: () => void) => {
          watchers.delete(check);
          clearTimeout(timer);
          settle();
        };
        const check = () => {
          const found = predicate(service);
          if (found) finish(() => resolve(found));
        };
        const timer = setTimeout(() => {
          const seen = `${service.attempts.length} envelopes seen, ${service.envelopes.length} taken`;
          finish(() => reject(new Error(`Not within ${ms} ms: ${predicate} (${seen})`)));
        }, ms);
        watchers.add(check);
        check();
      });
    },
    async behave(next) {
      const wasShut = behaviour === "refuse";
      behaviour = next;
      if (next === "refuse" && !wasShut) await shut();
      if (next !== "refuse" && wasShut) await listen(port);
    },
    async close() {
      if (behaviour !== "refuse") await shut();
    },
  };
  return service;
}

/** Whether it is what a server asks as it starts: an envelope without items. */
const isQuestion = ({ items }: ReceivedEnvelope) => items.length === 0;

function nextAnswer(behaviour: Behaviour, envelope: ReceivedEnvelope): ServiceAnswer {
  const next = answerOf(behaviour, envelope);
  return typeof next === "number" ? { status: next } : next;
}

function answerOf(behaviour: Behaviour, envelope: ReceivedEnvelope): number | ServiceAnswer {
  if (typeof behaviour === "function") return behaviour(envelope);
  if (typeof behaviour !== "object" || !("answers" in behaviour)) return 200;
  const { answers } = behaviour;
  if (isQuestion(envelope)) return answers[0] ?? 200;
  return (answers.length > 1 ? answers.shift() : answers[0]) ?? 200;
}

/** Reads an envelope by the letter of its format; throws where it isn't one. */
function parse(raw: Buffer): Pick<ReceivedEnvelope, "header" | "items"> {
  let rest = raw;
  const line = (): string => {
    const at = rest.indexOf(10);
    const text = rest.subarray(0, at < 0 ? rest.length : at).toString();
    rest = rest.subarray(at < 0 ? rest.length : at + 1);
    return text;
  };
  const header = JSON.parse(line()) as Record<string, unknown>;
  const items: ReceivedItem[] = [];
  while (rest.some((byte) => byte !== 10)) {
    const itemHeader = JSON.parse(line()) as Record<string, unknown>;
    const length = itemHeader.length as number | undefined;
    const end = length ?? (rest.indexOf(10) < 0 ? rest.length : rest.indexOf(10));
    const bytes = Buffer.from(rest.subarray(0, end));
    rest = rest.subarray(Math.min(end + 1, rest.length));
    items.push({
      header: itemHeader,
      // Read when it is asked for: what a stranger sends can be very deep.
      get payload() {
        return json(bytes);
      },
      bytes,
    });
  }
  return { header, items };
}

function json(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
