import http from "node:http";
import type { AddressInfo } from "node:net";

/** Another site, which would do harm if a page let it. */
export interface Stranger {
  /** Such as `http://127.0.0.1:40124`. */
  origin: string;
  /** Method and path of everything it was asked for. */
  asked: string[];
  stop(): Promise<void>;
}

const image = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';
const stylesheet = '@font-face { font-family: "Strange"; src: url("FONT/font.woff2") }';

/**
 * Answers a script with one that sets `window.harmed`, `/font.css` with a font of the host `fonts`,
 * an image with an empty one, `/frame?{url}` with a page that
 * frames the URL, and anything else with an empty page.
 */
export async function startStranger(): Promise<Stranger> {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    const { method, url = "/" } = request;
    asked.push(`${method} ${url}`);
    response.setHeader("Access-Control-Allow-Origin", "*");
    if (url.endsWith(".js")) {
      response.setHeader("Content-Type", "text/javascript");
      response.end('window.harmed = "by a foreign script";');
      return;
    }
    if (url.endsWith(".css")) {
      response.setHeader("Content-Type", "text/css");
      response.end(
        stylesheet.replace("FONT", `http://fonts.localhost:${request.socket.localPort}`),
      );
      return;
    }
    if (url.endsWith(".svg")) {
      response.setHeader("Content-Type", "image/svg+xml");
      response.end(image);
      return;
    }
    response.setHeader("Content-Type", "text/html");
    const framed = /^\/frame\?(.+)/.exec(url)?.[1];
    response.end(framed ? `<iframe src="${decodeURIComponent(framed)}"></iframe>` : "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
