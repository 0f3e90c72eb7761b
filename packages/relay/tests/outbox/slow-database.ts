import { connect, createServer, type Socket } from "node:net";
import { freePort } from "@/tests/support/free-port.js";

/** What lies between a server and its database: a proxy that a test can slow down or cut off. */
export interface DatabaseLine {
  url: string;
  /** Holds back each message of the client for so many milliseconds. */
  slow(ms: number): void;
  /** Passes nothing on, in either direction, and keeps all connections open. */
  freeze(): void;
  /** Breaks all connections. New ones work. */
  cut(): void;
  close(): void;
}

export async function startDatabaseLine(databaseUrl: string): Promise<DatabaseLine> {
  const target = new URL(databaseUrl);
  const port = await freePort();
  const sockets = new Set<Socket>();
  let delay = 0;
  let frozen = false;
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    const pass = (from: Socket, to: Socket, ms: () => number) => {
      sockets.add(from);
      from.on("data", (bytes) => {
        if (!frozen) setTimeout(() => to.writable && to.write(bytes), ms());
      });
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    };
    pass(client, database, () => delay);
    pass(database, client, () => 0);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.port = String(port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    slow(ms) {
      delay = ms;
    },
    freeze() {
      frozen = true;
    },
    cut,
    close() {
      cut();
      server.close();
    },
  };
}
