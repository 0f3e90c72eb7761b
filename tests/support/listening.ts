import http from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Listens on a free port of this machine until the test ends. */
export async function listen(
  server: http.Server | http.RequestListener,
): Promise<{ origin: string; port: number }> {
  const listening = typeof server === "function" ? http.createServer(server) : server;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    listening.closeAllConnections();
    listening.close();
  });
  const { port } = listening.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, port };
}
