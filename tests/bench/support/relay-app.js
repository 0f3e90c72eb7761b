import { bareApp } from "./bare-app.js";
import { config } from "./comparison-apps.js";

/** Where the rewrite leads is fixed by the build, so the sink of this bench has a port of its own. */
export const rewritePort = 4799;
const destination = `http://127.0.0.1:${rewritePort}/api/42/envelope/`;

/**
 * The two ways to tunnel that cost an afternoon at most: Next's rewrite, which is what Sentry's own
 * `tunnelRoute` is, and a route that passes on what it gets. Neither checks or keeps anything.
 *
 * @type {import("./comparison-apps.js").Files}
 */
export const relayApp = {
  ...bareApp,
  ...config({
    more: `rewrites: async () => [{ source: "/rewritten", destination: "${destination}" }],`,
  }),
  "pages/api/fetched.js": `export const config = { api: { bodyParser: false } };

export default async function handler(req, res) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const answer = await fetch("${destination}", {
    method: "POST",
    headers: { "Content-Type": "application/x-sentry-envelope" },
    body: Buffer.concat(chunks),
  });
  res.status(answer.status).send(await answer.text());
}
`,
};
