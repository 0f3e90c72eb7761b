import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** Another server, to which rewrites lead. */
export interface Elsewhere {
  /** Such as `http://127.0.0.1:40125`. */
  origin: string;
  port: number;
  stop(): void;
}

/** Says by which method and at which path it was asked, and with which body; to a WebSocket's first message, too. */
export async function startElsewhere(): Promise<Elsewhere> {
  const server = http.createServer(async (request, response) => {
    response.end(`${request.method} ${request.url} ${await text(request)}`);
  });
  server.on("upgrade", async (request, socket) => {
    // Its client may leave without a word.
    socket.on("error", () => {});
    // RFC 6455: 4.2.2
    const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accepted = createHash("sha1").update(key).digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accepted}\r\n\r\n`,
    );
    await once(socket, "data");
    const said = Buffer.from(`WebSocket ${request.url}`);
    socket.write(Buffer.concat([Buffer.from([0x81, said.length]), said]));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Sends a message over a WebSocket.
 *
 * @param url of HTTP
 * @returns the first message that comes back
 * @throws {Error} if none does
 */
export async function askByWebSocket(url: string): Promise<string> {
  const socket = new WebSocket(url.replace("http", "ws"));
  try {
    return await new Promise<string>((resolve, reject) => {
      socket.onopen = () => socket.send("asked");
      socket.onmessage = ({ data }) => resolve(data);
      socket.onclose = () => reject(new Error(`The WebSocket was closed: ${url}`));
    });
  } finally {
    socket.close();
  }
}
