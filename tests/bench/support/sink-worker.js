import { once } from "node:events";
import http from "node:http";
import { parentPort, workerData } from "node:worker_threads";
import { gunzipSync } from "node:zlib";

/** @type {import("./sink.js").Behaviour} */
let behaviour = "ok";
/** @type {string[]} */
let taken = [];

const server = http.createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on("error", () => {});
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    if (behaviour === "hang") return;
    if (typeof behaviour === "number") {
      // Without a time given, an SDK keeps away for a minute, which is longer than a bench.
      response.writeHead(behaviour, behaviour === 429 ? { "Retry-After": "1" } : {}).end();
      return;
    }
    const raw = Buffer.concat(chunks);
    const bytes = request.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
    const header = bytes.subarray(0, bytes.indexOf(10)).toString();
    taken.push(header.match(/"event_id":"(\w+)"/)?.[1] ?? "");
    response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
  });
});

/** @param {number} port */
async function listen(port) {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

const port = await listen(workerData.port);
parentPort?.on("message", async (command) => {
  if ("behaviour" in command) {
    const before = behaviour;
    behaviour = command.behaviour;
    if (behaviour === "dead" && before !== "dead") {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    }
    if (behaviour !== "dead" && before === "dead") await listen(port);
    // Whoever is still kept waiting from before would never hear.
    if (before === "hang") server.closeAllConnections();
    parentPort?.postMessage("done");
  } else if ("forget" in command) {
    taken = [];
    parentPort?.postMessage("done");
  } else {
    parentPort?.postMessage(taken);
  }
});
parentPort?.postMessage(port);
