import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { connect } from "node:net";
import tls from "node:tls";
import { onTestFinished } from "vitest";
import { listen } from "./listening";

/** A name that no name server knows: it is reached through a proxy alone. */
export const serviceHost = "sentry.test";

/** Self-signed, for `serviceHost`, until 2126. It guards nothing. */
export const testKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGQ/0Mnq8jkIvfUA2
w7kU//ZE/LiCU/cs2+8IevshMAqhRANCAARc8lGR0ocVs69xRg5ChJjVhLN74dR3
vCPz1IBhvn6xBPIh0zNlIXpnyDX3+MceeFVTr1mllA/Y3PJ9srZ8sbc2
-----END PRIVATE KEY-----
`;
export const testCertificate = readFileSync(`${import.meta.dirname}/${serviceHost}.pem`, "utf8");

/** An HTTP proxy, as a company has one for what goes out. */
interface OutgoingProxy {
  url: string;
  /** What it was asked for: `CONNECT sentry.test:443`, or `POST http://…`. */
  asked: string[];
  /** Each `Proxy-Authorization` that it was given. */
  authorizations: string[];
  /** The status of what it answers in place of passing on; 0 to pass on. */
  answer: (status: number) => void;
}

/** @param to where all goes that it passes on, whatever name it was asked for */
export async function startOutgoingProxy(to: number): Promise<OutgoingProxy> {
  const asked: string[] = [];
  const authorizations: string[] = [];
  const note = ({ headers }: http.IncomingMessage) =>
    authorizations.push(...[headers["proxy-authorization"] ?? []].flat());
  let status = 0;
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    note(request);
    if (status > 0) {
      request.resume();
      response.writeHead(status, { "Content-Type": "text/html" }).end("<p>Ask your admin</p>");
      return;
    }
    const { pathname } = new URL(request.url ?? "");
    // As a proxy does, it keeps to itself what is meant for it.
    const {
      method,
      headers: { "proxy-authorization": _, ...headers },
    } = request;
    const onward = http.request({ port: to, host: "127.0.0.1", path: pathname, method, headers });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  server.on("connect", (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    note(request);
    socket.on("error", () => {});
    if (status > 0) {
      socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const onward = connect(to, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    onward.on("error", () => socket.destroy());
    onTestFinished(() => {
      onward.destroy();
      socket.destroy();
    });
  });
  const { origin: url } = await listen(server);
  return { url, asked, authorizations, answer: (next) => (status = next) };
}

/** Puts TLS, by a certificate that this process trusts, before what listens there. @returns its port */
export async function startTls(to: number): Promise<number> {
  // Node before 24.5 is told when it starts: see tests/run.ts.
  if ("setDefaultCACertificates" in tls) {
    const before = tls.getCACertificates("default");
    tls.setDefaultCACertificates([...before, testCertificate]);
    onTestFinished(() => tls.setDefaultCACertificates(before));
  }
  const server = https.createServer(
    { key: testKey, cert: testCertificate },
    (request, response) => {
      const { url: path, method, headers } = request;
      const onward = http.request(
        { port: to, host: "127.0.0.1", path, method, headers },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        },
      );
      onward.on("error", () => response.destroy());
      request.pipe(onward);
    },
  );
  const { port } = await listen(server);
  return port;
}
