import http from "node:http";
import { Worker } from "node:worker_threads";

/**
 * @typedef {object} Answer
 * @property {number} status 0 where there was none
 * @property {number} ms until the last byte
 * @property {Buffer} body
 */

/**
 * @param {http.Agent} agent
 * @param {string} url
 * @param {{ method?: string, headers?: Record<string, string>, body?: Uint8Array }} [options]
 * @returns {Promise<Answer>} a connection that breaks is an answer with status 0
 */
export function ask(agent, url, { method = "GET", headers = {}, body } = {}) {
  const begin = performance.now();
  return new Promise((resolve) => {
    const done = (/** @type {number} */ status, /** @type {Buffer[]} */ chunks) =>
      resolve({ status, ms: performance.now() - begin, body: Buffer.concat(chunks) });
    const request = http.request(url, { agent, method, headers }, (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => done(response.statusCode ?? 0, chunks));
      response.on("error", () => done(0, []));
    });
    request.on("error", () => done(0, []));
    request.end(body);
  });
}

/**
 * Asks for a page a number of times over kept-alive connections.
 *
 * @param {string} url
 * @param {{ requests: number, concurrency: number }} options
 * @returns {Promise<number[]>} milliseconds of each
 * @throws where one isn't answered with 200
 */
export async function visit(url, { requests, concurrency }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: concurrency });
  let left = requests;
  /** @type {number[]} */
  const times = [];
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

/**
 * @typedef {object} Storm
 * @property {Record<string, number>} statuses how many answers of each
 * @property {string[]} accepted event ids of the envelopes that were answered with 200
 */

/**
 * Posts envelopes at a fixed rate, however long the answers take, from a thread of its own, so that
 * this thread can measure meanwhile.
 *
 * @param {string} url
 * @param {{ rate: number, seconds: number }} options envelopes per second
 * @returns {Promise<Storm>} when all are answered
 */
export function storm(url, { rate, seconds }) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./storm-worker.js", import.meta.url), {
      workerData: { url, rate, seconds },
    });
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}
