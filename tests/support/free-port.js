import { createServer } from "node:net";

/**
 * Below the ports that Linux, macOS and Windows give to connections and to whoever listens on port 0,
 * so that nobody else takes one while its server is away for a test.
 */
const firstPort = 20_000;
const portsPerWorker = 500;
const maxWorkers = 24;

/** Vitest counts its workers from 1, Playwright from 0; the process that starts them is none. */
const { VITEST_POOL_ID, TEST_PARALLEL_INDEX } = process.env;
const worker = Number(VITEST_POOL_ID ?? Number(TEST_PARALLEL_INDEX ?? -1) + 1) % maxWorkers;
let next = Math.floor(Math.random() * portsPerWorker);

/**
 * A port on which nothing listens at the moment, and that no other worker of these tests gets. Plain
 * JavaScript, since the benches are too.
 *
 * @returns {Promise<number>}
 * @throws {Error} if there is none
 */
export async function freePort() {
  for (let tries = 0; tries < portsPerWorker; tries += 1) {
    const port = firstPort + worker * portsPerWorker + next;
    next = (next + 1) % portsPerWorker;
    if (await isFree(port)) return port;
  }
  throw new Error(`No port is free from ${firstPort + worker * portsPerWorker} on.`);
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    // On all interfaces, as the app listens.
    probe.listen(port, () => probe.close(() => resolve(true)));
  });
}
