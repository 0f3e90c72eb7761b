import { once } from "node:events";
import http from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { countInFlight, onEachRequest } from "@/packages/sentry/src/server/request-steps";
import { serving } from "@/packages/sentry/src/server/serving";
import { shutDownOnSignal } from "@/packages/sentry/src/server/shutdown";
import { listen } from "@/tests/support/listening";

/** A promise that ends when it is told to. */
function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** Hears when the process would end, and lets no listener of a test stay. */
function watchExit() {
  const exit = vi.spyOn(process, "exit").mockImplementation((() => {}) as () => never);
  const { emit } = process;
  const names = ["SIGTERM", "SIGINT"] as const;
  const before = names.flatMap((name) => process.listeners(name));
  onTestFinished(() => {
    exit.mockRestore();
    process.emit = emit;
    for (const name of names) {
      const added = process.listeners(name).filter((listener) => !before.includes(listener));
      for (const listener of added) process.off(name, listener);
    }
  });
  return exit;
}

test("claims end with the notice, and the rest is settled once the requests are answered", async () => {
  const exit = watchExit();
  const calls: string[] = [];
  const left: number[] = [];
  const note = (call: string, maxMs: number) => {
    calls.push(call);
    left.push(maxMs);
  };
  const settle = async (maxMs: number) => note("settle", maxMs);
  shutDownOnSignal({ settle, stopClaiming: (maxMs) => note("stopClaiming", maxMs) }, 60_000);
  const state = serving();
  state.requestsInFlight = 1;
  process.emit("SIGINT", "SIGINT");
  await expect.poll(() => calls).toEqual(["stopClaiming"]);
  state.requestsInFlight = 0;
  state.onResponse?.();
  await expect.poll(() => exit.mock.calls).toEqual([[0]]);
  expect(calls).toEqual(["stopClaiming", "settle"]);
  expect(left[0]).toBeGreaterThan(left[1] ?? 0);
});

test("a supervisor's signal leaves the time to notice, which Ctrl-C does not need", async () => {
  const exit = watchExit();
  const noticeMs = 300;
  let endedAt = 0;
  const stopClaiming = () => {
    endedAt = performance.now();
  };
  shutDownOnSignal({ settle: async () => {}, stopClaiming }, noticeMs);
  const signalledAt = performance.now();
  process.emit("SIGTERM", "SIGTERM");
  expect(serving().stopping).toBe(true);
  await expect.poll(() => exit.mock.calls).toEqual([[0]]);
  // Timers count whole milliseconds.
  expect(endedAt - signalledAt).toBeGreaterThanOrEqual(noticeMs - 1);
});

const background = { settle: async () => {}, stopClaiming: () => {} };

test("Next's own end comes after the notice, and all that it waits for, before the process ends", async () => {
  const exit = watchExit();
  const waitUntil = gate();
  let isClosing = false;
  const ofNext = async () => {
    void "start-server process cleanup";
    isClosing = true;
    await waitUntil.passed;
    process.exit(143);
  };
  process.on("SIGTERM", ofNext);
  shutDownOnSignal(background, 0);
  expect(process.listeners("SIGTERM")).not.toContain(ofNext);
  process.emit("SIGTERM", "SIGTERM");
  expect(isClosing).toBe(false);
  await expect.poll(() => isClosing).toBe(true);
  expect(exit).not.toHaveBeenCalled();
  waitUntil.open();
  await expect.poll(() => exit.mock.calls).toEqual([[0]]);
});

test("a WebSocket that stays open keeps Next from nothing that it waits for", async () => {
  const exit = watchExit();
  const order: string[] = [];
  exit.mockImplementation((() => order.push("exit")) as () => never);
  const server = http.createServer();
  server.on("upgrade", (_request, socket) => {
    socket.on("error", () => {}).write("HTTP/1.1 101 Switching Protocols\r\n\r\n");
    socket.resume();
  });
  // Without one, it would be no server for pages.
  server.on("request", (_request, response) => response.end());
  const { port } = await listen(server);
  vi.stubEnv("__NEXT_PRIVATE_ORIGIN", "http://127.0.0.1");
  vi.stubEnv("PORT", String(port));
  onTestFinished(() => void vi.unstubAllEnvs());
  process.on("SIGTERM", async () => {
    void "start-server process cleanup";
    await new Promise((resolve) => server.close(resolve));
    order.push("waitUntil");
    process.exit(143);
  });
  shutDownOnSignal(background, 0);
  const client = connect(port, "127.0.0.1").on("error", () => {});
  onTestFinished(() => void client.destroy());
  client.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  await once(client, "data");
  process.emit("SIGTERM", "SIGTERM");
  await expect.poll(() => order).toContain("exit");
  expect(order).toEqual(["waitUntil", "exit"]);
});

test("each connection that the system has made by the signal has its answer, as many as wait at a busy server", async () => {
  const exit = watchExit();
  const { port } = await listen((_request, response) => response.end("answered"));
  vi.stubEnv("__NEXT_PRIVATE_ORIGIN", "http://127.0.0.1");
  vi.stubEnv("PORT", String(port));
  onTestFinished(() => void vi.unstubAllEnvs());
  onEachRequest(() => [countInFlight]);
  shutDownOnSignal(background, 0);
  const first = connect(port, "127.0.0.1").end("GET / HTTP/1.0\r\n\r\n");
  expect(await text(first)).toMatch(/answered$/);
  // Some systems keep no more than 128 for a server.
  const answers = Array.from({ length: 120 }, () =>
    text(connect(port, "127.0.0.1").end("GET / HTTP/1.0\r\n\r\n")).catch(String),
  );
  process.nextTick(() => process.emit("SIGTERM", "SIGTERM"));
  const kinds = (await Promise.all(answers)).map((answer) => answer.split("\r\n").at(-1));
  expect(new Set(kinds)).toEqual(new Set(["answered"]));
  await expect.poll(() => exit.mock.calls).toEqual([[0]]);
});

test("a listener of the app's that fails is told of, and the others have their time all the same", async () => {
  const exit = watchExit();
  const errors = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  onTestFinished(() => errors.mockRestore());
  const other = gate();
  process.on("SIGTERM", async () => {
    throw new Error("not today");
  });
  process.on("SIGTERM", () => {
    throw new Error("not now");
  });
  process.on("SIGTERM", () => other.passed);
  const settle = vi.fn(async () => {});
  shutDownOnSignal({ ...background, settle }, 0);
  process.emit("SIGTERM", "SIGTERM");
  const failures = () => errors.mock.calls.join();
  await expect.poll(failures).toMatch(/listener to the signal failed .*not today/);
  expect(failures()).toMatch(/listener to the signal failed .*not now/);
  expect(settle).not.toHaveBeenCalled();
  other.open();
  await expect.poll(() => exit.mock.calls).toEqual([[0]]);
  expect(settle).toHaveBeenCalledOnce();
});

test("the app's own listeners have the time that they need, those that come later too, and delivery settles after them", async () => {
  const exit = watchExit();
  const order: string[] = [];
  const gates = [gate(), gate()];
  serving().stopping = false;
  const listeners = gates.map(({ passed }, n) => async () => {
    await passed;
    order.push(`listener ${n}`);
  });
  const [early = () => {}, late = () => {}] = listeners;
  process.on("SIGTERM", early);
  shutDownOnSignal({ ...background, settle: async () => void order.push("settle") }, 0);
  process.once("SIGTERM", late);
  // A real one: Node emits it otherwise than `process.emit` that is called.
  process.kill(process.pid, "SIGTERM");
  await expect.poll(() => serving().stopping).toBe(true);
  gates[1]?.open();
  await expect.poll(() => order).toEqual(["listener 1"]);
  expect(exit).not.toHaveBeenCalled();
  gates[0]?.open();
  await expect.poll(() => exit.mock.calls).toEqual([[0]]);
  expect(order).toEqual(["listener 1", "listener 0", "settle"]);
});

test("the app's listeners can be found and taken away as in any process", async () => {
  const exit = watchExit();
  const [early, once, late] = [vi.fn(), vi.fn(), vi.fn()];
  process.on("SIGTERM", early);
  process.once("SIGTERM", once);
  shutDownOnSignal(background, 0);
  process.on("SIGTERM", late);
  const found = process.listeners("SIGTERM");
  expect(found.filter((one) => [early, once, late].includes(one as never))).toEqual([
    early,
    once,
    late,
  ]);
  process.off("SIGTERM", early);
  for (let n = 0; n < 2; n++) process.emit("SIGTERM", "SIGTERM");
  expect([early, once, late].map(({ mock }) => mock.calls.length)).toEqual([0, 1, 2]);
  await expect.poll(() => exit.mock.calls).toEqual([[0]]);
});

test("a listener of the app's that ends the process ends it at once", async () => {
  const exit = watchExit();
  process.on("SIGTERM", () => process.exit(3));
  shutDownOnSignal(background, 60_000);
  process.emit("SIGTERM", "SIGTERM");
  expect(exit.mock.calls).toEqual([[3]]);
});
