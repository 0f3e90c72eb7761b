import http from "node:http";
import { Worker } from "node:worker_threads";

export interface Answer {
  /** 0 where there was none. */
  status: number;
  /** Until the last byte. */
  ms: number;
}

/** Asks once. A connection that breaks is an answer with status 0. */
export function ask(
  agent: http.Agent,
  url: string,
  { body, ...options }: http.RequestOptions & { body?: Uint8Array } = {},
): Promise<Answer> {
  const begin = performance.now();
  return new Promise((resolve) => {
    const done = (status: number) => resolve({ status, ms: performance.now() - begin });
    const request = http.request(url, { agent, ...options }, (response) => {
      response.on("end", () => done(response.statusCode ?? 0)).on("error", () => done(0));
      response.resume();
    });
    request.on("error", () => done(0));
    request.end(body);
  });
}

/**
 * Asks for a page a number of times over kept-alive connections.
 *
 * @returns milliseconds of each
 * @throws where one isn't answered with 200
 */
export async function visit(
  url: string,
  { requests, concurrency }: { requests: number; concurrency: number },
): Promise<number[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: concurrency });
  const times: number[] = [];
  let left = requests;
  const visitor = async () => {
    while (left > 0) {
      left -= 1;
      const { status, ms } = await ask(agent, url);
      if (status !== 200) throw new Error(`${url} answers ${status}.`);
      times.push(ms);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, visitor));
  agent.destroy();
  return times;
}

/** Envelopes per second. */
export type StormLoad = { rate: number; seconds: number };

/**
 * Posts envelopes at a fixed rate, however long the answers take, from a thread of its own, so that
 * this thread can measure meanwhile.
 *
 * @returns how many there were
 * @throws where one isn't answered with 200
 */
export function storm(url: string, load: StormLoad): Promise<number> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./storm-worker.ts", import.meta.url), {
      workerData: { url, ...load },
    });
    worker.once("message", (statuses: Record<number, number>) => {
      const { 200: accepted = 0, ...others } = statuses;
      if (Object.keys(others).length === 0) resolve(accepted);
      else reject(new Error(`${url} did not take all: ${JSON.stringify(statuses)}`));
    });
    worker.once("error", reject);
  });
}
