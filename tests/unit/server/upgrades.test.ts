import http from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { answerUpgrades } from "@/lib/server/upgrades";

const rewrites = { leadElsewhere: false };
answerUpgrades(() => rewrites.leadElsewhere, 100);

/** Listens to upgrades as Next does: it reads the socket where a rewrite leads to another server, and no other. */
async function startServer() {
  const upgraded: Socket[] = [];
  const accepted: Socket[] = [];
  const server = http.createServer((request, response) => response.end(`plain ${request.url}`));
  server.on("connection", (socket) => accepted.push(socket));
  const upgradeHandler = async ({ url }: http.IncomingMessage, socket: Socket) => {
    upgraded.push(socket);
    if (url === "/rewritten") socket.pipe(socket);
  };
  server.on("upgrade", async (request, socket) => {
    await upgradeHandler(request, socket as Socket);
  });
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
  return { server, upgraded, accepted, send, open };
}

function answerTo(client: Socket): Promise<string> {
  return new Promise((resolve) => client.once("data", (bytes) => resolve(String(bytes))));
}

test("on a server that starts later, the very first request for an upgrade is answered as a plain one", async () => {
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

test("the app's own listener has the sockets that it has in plain Next, from its first request on", async () => {
  const { server, upgraded, send } = await startServer();
  server.on("upgrade", (request, socket) => socket.end(`101 for ${request.url}`));
  expect(await answerTo(send("GET /chat HTTP/1.1"))).toBe("101 for /chat");
  expect(upgraded).toEqual([]);
});

test("where a rewrite leads to another server, Next connects them, and a socket that nobody touches is closed", async () => {
  rewrites.leadElsewhere = true;
  onTestFinished(() => {
    rewrites.leadElsewhere = false;
  });
  const { send, open } = await startServer();
  const [connected, untouched] = [send("GET /rewritten HTTP/1.1"), send("GET /other HTTP/1.1")];
  await new Promise((resolve) => untouched.once("close", resolve));
  connected.write("still there");
  expect(await answerTo(connected)).toBe("still there");
  expect(open()).toBe(1);
});

test("another server of the app's keeps its listeners", async () => {
  const { server: pages, send } = await startServer();
  vi.stubEnv("__NEXT_PRIVATE_ORIGIN", "http://127.0.0.1");
  vi.stubEnv("PORT", String((pages.address() as AddressInfo).port));
  onTestFinished(() => void vi.unstubAllEnvs());
  const other = await startServer();
  const client = other.send("GET /rewritten HTTP/1.1");
  await expect.poll(() => other.upgraded.length).toBe(1);
  client.write("own");
  expect(await answerTo(client)).toBe("own");
  expect(await answerTo(send("GET /rewritten HTTP/1.1"))).toContain("plain /rewritten");
});
