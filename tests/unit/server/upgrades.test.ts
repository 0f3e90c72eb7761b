import http from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { answerUpgrades } from "@/lib/server/upgrades";

/** Listens to upgrades as Next does: it never reads the socket. */
async function startServer() {
  const upgraded: Socket[] = [];
  const accepted: Socket[] = [];
  const server = http.createServer((request, response) => response.end(`plain ${request.url}`));
  server.on("connection", (socket) => accepted.push(socket));
  server.on("upgrade", (_request, socket) => upgraded.push(socket as Socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of accepted) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const send = (head: string) => {
    const client = connect(port, "127.0.0.1");
    onTestFinished(() => {
      client.destroy();
    });
    client.on("error", () => {});
    client.write(`${head}\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    return client;
  };
  const open = () => accepted.filter((socket) => !socket.destroyed).length;
  return { upgraded, accepted, send, open };
}

function answerTo(client: Socket): Promise<string> {
  return new Promise((resolve) => client.once("data", (bytes) => resolve(String(bytes))));
}

test("on a server that starts later, the very first request for an upgrade is answered as a plain one", async () => {
  answerUpgrades();
  const { upgraded, accepted, send, open } = await startServer();
  const clients = Array.from({ length: 50 }, () => send("GET /first HTTP/1.1"));
  for (const client of clients) expect(await answerTo(client)).toContain("plain /first");
  expect(upgraded).toEqual([]);
  for (const client of clients) client.destroy();
  await expect.poll(open).toBe(0);
  expect(accepted).toHaveLength(50);
});

test("a request for a tunnel through the server is closed", async () => {
  const { send, open, accepted } = await startServer();
  const client = send("CONNECT elsewhere.example:443 HTTP/1.1");
  await new Promise((resolve) => client.once("close", resolve));
  expect(accepted).toHaveLength(1);
  expect(open()).toBe(0);
});
