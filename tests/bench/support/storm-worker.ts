import http from "node:http";
import { parentPort, workerData } from "node:worker_threads";
import { errorEnvelope } from "./envelopes.ts";
import { ask, type StormLoad } from "./load.ts";

const { url, rate, seconds } = workerData as StormLoad & { url: string };
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
const total = Math.round(rate * seconds);
const begin = performance.now();
const statuses: Record<number, number> = {};
let sent = 0;
let answered = 0;

async function post(): Promise<void> {
  const { status } = await ask(agent, url, { method: "POST", ...errorEnvelope() });
  statuses[status] = (statuses[status] ?? 0) + 1;
  answered += 1;
  if (answered < total) return;
  parentPort?.postMessage(statuses);
  agent.destroy();
}

const timer = setInterval(() => {
  const due = Math.min(total, Math.floor(((performance.now() - begin) / 1000) * rate));
  for (; sent < due; sent += 1) void post();
  if (sent === total) clearInterval(timer);
}, 5);
