import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { ServerResponse } from "node:http";
import { key } from "./notes.js";

/** @type {AsyncLocalStorage<string[]>} */
const notes = new AsyncLocalStorage();
Object.assign(globalThis, { [key]: notes });

const requestMeta = Symbol.for("NextInternalRequestMeta");

/** @param {object} observation */
function tell(observation) {
  process.stdout.write(`OBSERVED ${JSON.stringify(observation)}\n`);
}

/** Has Next end itself, and tells with which code it would end the process. */
function endNext() {
  process.exit = /** @type {any} */ (
    (/** @type {unknown} */ code) => tell({ url: "exit", notes: [code] })
  );
  const [listener] = process.listeners("SIGTERM");
  listener?.("SIGTERM");
}

export function observe() {
  const { __NEXT_PRIVATE_ORIGIN: origin, PORT: port } = process.env;
  tell({ url: "register", origin, port, signalListeners: process.listenerCount("SIGTERM") });
  const { createRequire } = process.getBuiltinModule("node:module");
  const loaded = Object.keys(createRequire(process.execPath).cache);
  tell({ url: "loaded", notes: loaded.filter((file) => file.endsWith("instrumentation.js")) });
  process.once("SIGUSR2", endNext);
  const { writeHead, end } = ServerResponse.prototype;
  /** @type {WeakMap<object, unknown[]>} */
  const calls = new WeakMap();
  ServerResponse.prototype.writeHead = /** @type {any} */ (
    /** @this {ServerResponse} @param {unknown[]} args */
    function (...args) {
      calls.get(this)?.push(["writeHead", ...args, this.getHeader("Content-Length")]);
      return Reflect.apply(writeHead, this, args);
    }
  );
  ServerResponse.prototype.end = /** @type {any} */ (
    /** @this {ServerResponse} @param {unknown[]} args */
    function (...args) {
      calls.get(this)?.push(["end", String(args[0]).slice(0, 40)]);
      return Reflect.apply(end, this, args);
    }
  );
  subscribe("http.server.request.start", (message) => {
    const { request, response, server } = /** @type {any} */ (message);
    const { url } = request;
    /** @type {string[]} */
    const own = [];
    const listeners = server.rawListeners("request");
    server.removeAllListeners("request");
    server.once("request", (/** @type {unknown[]} */ ...args) => {
      for (const listener of listeners) server.on("request", listener);
      notes.run(own, () => {
        for (const listener of listeners) Reflect.apply(listener, server, args);
      });
    });
    calls.set(response, []);
    response.once("close", () => {
      const meta = request[requestMeta] ?? {};
      tell({
        url,
        invokeOutput: meta.invokeOutput,
        initURL: meta.initURL,
        status: response.statusCode,
        listeners: listeners.length,
        upgradeListeners: server.listeners("upgrade").map(String),
        crashListeners: process.listenerCount("uncaughtException"),
        notes: own,
        calls: calls.get(response)?.slice(0, 4),
      });
    });
  });
}
