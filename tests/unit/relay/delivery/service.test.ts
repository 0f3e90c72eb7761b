import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { Service } from "@/lib/sentry/src/relay/delivery/service";
import { ServiceLimits } from "@/lib/sentry/src/relay/delivery/service-limits";
import { categorySet } from "@/lib/sentry/src/relay/envelope/categories";
import { parseDsn } from "@/lib/sentry/src/shared/environment/dsn";
import { recordedLog } from "@/tests/support/outboxes";
import { envelopeOf, eventId } from "@/tests/support/sdk-envelopes";

const claimed = {
  id: 1,
  receivedAt: 0,
  origin: "browser" as const,
  categories: categorySet(["attachment"]),
  attempts: 0,
  age: 0,
  release: null,
  clientAddress: null,
};

/** More than the buffers of a connection hold. */
const large = Buffer.alloc(24 * 1024 * 1024, "a");

/** Sends a large report to a service that answers before it has read it, and reads no more. */
async function sendTo(answer: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.pause();
      answer(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const dsn = parseDsn(`http://key@127.0.0.1:${typeof address === "object" && address?.port}/1`);
  if (!dsn) throw new Error("Expected a DSN.");
  const { log } = recordedLog();
  const times = { connectMs: 5000, responseMs: 60_000, restMs: 60_000 };
  const service = new Service(dsn, { limits: new ServiceLimits(), log, setAside: () => {}, times });
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
  const channel = "http.client.response.finish";
  const reset = () => {
    unsubscribe(channel, reset);
    socket.resetAndDestroy();
  };
  subscribe(channel, reset);
  socket.write(headOf(status));
}

const headOf = (status: number) => `HTTP/1.1 ${status} OK\r\nContent-Length: 2\r\n\r\n`;

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
