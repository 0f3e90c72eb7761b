import { execFileSync } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { Service, type ServiceOptions } from "@/packages/relay/src/delivery/service";
import { ServiceConnection } from "@/packages/relay/src/delivery/service-connection";
import { ServiceLimits } from "@/packages/relay/src/delivery/service-limits";
import { parseDsn } from "@/packages/relay/src/dsn";
import { categorySet } from "@/packages/relay/src/envelope/categories";
import { outgoingProxy } from "@/packages/sentry/src/shared/environment/outgoing-proxy";
import { recordedLog } from "@/tests/support/outboxes";
import { serviceHost, startOutgoingProxy, startTls } from "@/tests/support/outgoing-proxy";
import { envelopeOf, eventId } from "@/tests/support/sdk-envelopes";

const claimed = {
  id: 1,
  receivedAt: 0,
  origin: "browser" as const,
  categories: categorySet(["attachment"]),
  attempts: 0,
  sender: 0,
  age: 0,
  release: null,
  clientAddress: null,
};

/** More than the buffers of connections hold, by way of a proxy too. */
const large = Buffer.alloc(64 * 1024 * 1024, "a");

interface Sent {
  times?: ServiceOptions["times"];
  /** Whether it goes with TLS and by way of a proxy. */
  isTunnelled?: boolean;
}

/** Sends a large report to a service that reads its beginning, pauses, and goes on as it is told. */
async function sendTo(
  goOn: (socket: Socket, read: number) => void,
  { times, isTunnelled }: Sent = {},
) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.once("data", (chunk) => {
      socket.pause();
      goOn(socket, chunk.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const env = isTunnelled && { https_proxy: (await startOutgoingProxy(await startTls(port))).url };
  const dsn = parseDsn(env ? `https://key@${serviceHost}/1` : `http://key@127.0.0.1:${port}/1`);
  if (!dsn) throw new Error("Expected a DSN.");
  const service = new Service(dsn, {
    limits: new ServiceLimits(),
    log: recordedLog().log,
    setAside: () => {},
    ...(env && { proxy: outgoingProxy(dsn.envelopeUrl, env) }),
    ...(times && { times }),
  });
  onTestFinished(() => {
    service.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const envelope = envelopeOf({ event_id: eventId() }, [{ type: "attachment" }, large]);
  return await service.deliver({ ...claimed, envelope }, new AbortController().signal);
}

/** Begins an answer, and breaks the connection when its head has been read. */
function breakOff(socket: Socket, status: number): void {
  const channel = "undici:request:headers";
  const reset = () => {
    unsubscribe(channel, reset);
    socket.resetAndDestroy();
  };
  subscribe(channel, reset);
  socket.write(headOf(status));
}

const headOf = (status: number) => `HTTP/1.1 ${status} OK\r\nContent-Length: 2\r\n\r\n`;

/** Reads all in twenty steps, and answers in twenty more, each of which is progress. */
function readSlowly(socket: Socket, read: number): void {
  const step = large.length / 20;
  let left = large.length - read;
  let letters = 20;
  socket.on("data", (chunk) => {
    left -= chunk.length;
    if (left > 0 && left % step > (left + chunk.length) % step) socket.pause();
  });
  const timer = setInterval(() => {
    if (left > 0) socket.resume();
    else if (letters === 20) socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${letters}\r\n\r\n`);
    // What begins like this may be a page of a proxy's.
    if (left <= 0 && letters > 0) socket.write(--letters === 0 ? "}" : letters === 1 ? "{" : " ");
  }, 80);
  onTestFinished(() => clearInterval(timer));
}

/** Writes the beginning, and the rest again and again, for as long as it is taken. */
function flood(socket: Socket, beginning: string, again: string): void {
  const part = again.repeat(Math.ceil((64 * 1024) / again.length));
  let left = 32 * 1024 * 1024;
  const write = () => {
    while (left > 0 && !socket.destroyed) {
      left -= part.length;
      if (!socket.write(part)) return;
    }
  };
  socket.write(beginning);
  socket.on("drain", write);
  socket.resume();
  write();
}

const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

it.each([
  ["interim answers", "", "HTTP/1.1 103 Early Hints\r\n\r\n"],
  ["extensions of a chunk", `${chunked}1`, ";x=y"],
  ["trailers", `${chunked}0\r\n`, "X: y\r\n"],
])("breaks off an answer without an end: %s", async (_what, beginning, again) => {
  let socket: Socket | undefined;
  const sent = sendTo((taken) => {
    socket = taken;
    flood(taken, beginning, again);
  });
  await expect(sent).rejects.toThrow();
  expect(socket?.bytesWritten).toBeLessThan(24 * 1024 * 1024);
});

it("breaks off an answer without an end whatever else is delivered meanwhile", async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    if (sockets.length > 1) socket.on("data", () => socket.write(`${headOf(200)}{}`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const times = { connectMs: 5000, stallMs: 10_000, totalMs: 120_000 };
  const connection = new ServiceConnection(`http://127.0.0.1:${port}/`, undefined, times);
  onTestFinished(() => {
    connection.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const report = [Buffer.from("{}\n"), Buffer.from("{}")] as const;
  const post = () => connection.post(report, {}, Number.POSITIVE_INFINITY);
  const endless = post().then(
    () => "answered",
    () => "broken off",
  );
  await expect.poll(() => sockets).toHaveLength(1);
  for (let n = 0; n < 20; n++) {
    sockets[0]?.write("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(2500));
    expect(await post()).toMatchObject({ status: 200, text: "{}" });
  }
  sockets[0]?.write(`${headOf(200)}{}`);
  expect(await endless).toBe("broken off");
});

it("takes no success for one that breaks off before the report was sent", async () => {
  const broken = sendTo((socket) => breakOff(socket, 200));
  await expect(broken).rejects.toThrow();
});

it("goes by a failure that breaks off before the report was sent", async () => {
  const refused = sendTo((socket) => breakOff(socket, 413));
  await expect(refused).resolves.toEqual({ kind: "dropped", reason: "send_error" });
});

it("goes by an answer that ends before the report was sent", async () => {
  const taken = sendTo((socket) => socket.write(`${headOf(200)}{}`));
  await expect(taken).resolves.toEqual({ kind: "taken", value: undefined });
});

describe.each([
  ["directly", false],
  ["by way of a proxy, with TLS", true],
])("%s", (_, isTunnelled) => {
  it("waits for a service that takes a report slowly, and answers slowly, however long it takes", async () => {
    const taken = sendTo(readSlowly, { isTunnelled, times: { stallMs: 1200 } });
    await expect(taken).resolves.toEqual({ kind: "taken", value: undefined });
  });

  it("gives up a service that takes no more of a report", async () => {
    const stalled = sendTo(() => {}, { isTunnelled, times: { stallMs: 200 } });
    await expect(stalled).rejects.toThrow("The service takes no more of the report.");
  });
});

it("gives up one that is never done", async () => {
  const endless = sendTo(readSlowly, { times: { totalMs: 500 } });
  await expect(endless).rejects.toThrow("The delivery took too long.");
});

it("leaves the process's own fetch what it is", () => {
  // In a process that has not asked for anything yet.
  const code = `
    import { ServiceConnection } from "./packages/relay/src/delivery/service-connection.ts";
    const times = { connectMs: 1, stallMs: 1, totalMs: 1 };
    const connection = new ServiceConnection("http://127.0.0.1:1", undefined, times);
    await connection.post([new Uint8Array(), new Uint8Array()], {}, Infinity).catch(() => {});
    const { Agent, getGlobalDispatcher } = await import("undici");
    process.stdout.write(String(getGlobalDispatcher() instanceof Agent));`;
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", code]);
  expect(String(said)).toBe("false");
});
