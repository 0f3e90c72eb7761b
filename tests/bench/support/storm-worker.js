import http from "node:http";
import { parentPort, workerData } from "node:worker_threads";
import { errorEnvelope } from "./envelopes.js";
import { ask } from "./load.js";

/** @type {{ url: string, rate: number, seconds: number }} */
const { url, rate, seconds } = workerData;
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
const total = Math.round(rate * seconds);
const begin = performance.now();
/** @type {import("./load.js").Storm} */
const result = { statuses: {}, accepted: [] };
let sent = 0;
let answered = 0;

async function post() {
  const { id, body, headers } = errorEnvelope();
  const { status } = await ask(agent, url, { method: "POST", headers, body });
  result.statuses[status] = (result.statuses[status] ?? 0) + 1;
  if (status === 200) result.accepted.push(id);
  answered += 1;
  if (answered === total) {
    parentPort?.postMessage(result);
    agent.destroy();
  }
}

const timer = setInterval(() => {
  const due = Math.min(total, Math.floor(((performance.now() - begin) / 1000) * rate));
  for (; sent < due; sent += 1) void post();
  if (sent === total) clearInterval(timer);
}, 5);
