import { once } from "node:events";
import { Worker } from "node:worker_threads";

/**
 * What the sink does: takes envelopes, has its port closed, answers with a status, or never answers.
 *
 * @typedef {"ok" | "dead" | "hang" | number} Behaviour
 */

/**
 * @typedef {object} Sink
 * @property {number} port
 * @property {string} url where envelopes go
 * @property {string} dsn
 * @property {(behaviour: Behaviour) => Promise<unknown>} behave
 * @property {() => Promise<string[]>} taken event ids of all envelopes taken, in order
 * @property {() => Promise<unknown>} forget empties that list
 */

/**
 * A stand-in of the error-reporting service that does next to nothing, in a thread of its own.
 *
 * @param {number} [port] any free one by default
 * @returns {Promise<Sink>}
 */
export async function startSink(port = 0) {
  const worker = new Worker(new URL("./sink-worker.js", import.meta.url), { workerData: { port } });
  worker.unref();
  let tail = Promise.resolve();
  /** @param {object} command */
  const tell = (command) => {
    const answer = tail.then(async () => {
      worker.postMessage(command);
      const [message] = await once(worker, "message");
      return message;
    });
    tail = answer.catch(() => {});
    return answer;
  };
  const [listening] = await once(worker, "message");
  return {
    port: listening,
    url: `http://127.0.0.1:${listening}/api/42/envelope/`,
    dsn: `http://0123456789abcdef0123456789abcdef@127.0.0.1:${listening}/42`,
    behave: (behaviour) => tell({ behaviour }),
    taken: () => tell({ taken: true }),
    forget: () => tell({ forget: true }),
  };
}
