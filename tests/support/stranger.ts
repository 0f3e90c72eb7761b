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

/**
 * Answers `/script.js` with a script that sets `window.harmed`, `/frame?{url}` with a page that
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
