import http from "node:http";
import type { AddressInfo } from "node:net";
import { relay } from "@/packages/sentry/src/server/relay";

// The report path of the app, in a process of its own that a test can kill: configured by the
// environment as the app is, on any port, which is the first thing it writes.
const server = http.createServer((request, response) => {
  request.url = "/api/relay";
  relay().handle(request, response);
});
void relay().start();
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
