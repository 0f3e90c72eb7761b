import { freePort } from "../support/free-port.js";
import { fromNpm } from "./installed.ts";
import { startProgram, untilItAnswers } from "./processes.ts";

const spotlightVersion = "4.11.8";

/** Newer ones make this Spotlight answer 500 to everything. */
const hono = "hono@4.12.25";

/** An envelope as Spotlight has read it. */
type Shown = [
  header: Record<string, unknown>,
  items: [header: { type: string }, payload: unknown][],
];

export interface Spotlight {
  dsn: string;
  /** What it has read of envelopes so far and given to its own pages: header and items. */
  shown: () => Shown[];
  stop: () => Promise<void>;
}

/** Starts Spotlight. @throws {import("./installed.ts").Unavailable} */
export async function startSpotlight(): Promise<Spotlight> {
  const packages = fromNpm(`@spotlightjs/spotlight@${spotlightVersion}`, hono);
  const port = await freePort();
  const dist = `${packages}/@spotlightjs/spotlight/dist`;
  const script = `${dist}/run.js`;
  // It reports itself to its makers: nothing listens there.
  const env = { https_proxy: "http://127.0.0.1:9" };
  const server = startProgram(process.execPath, [script, "server", "--port", String(port)], {
    env,
  });
  const url = `http://localhost:${port}`;
  await untilItAnswers(server, `${url}/health`);
  const closing = new AbortController();
  const stream = await fetch(`${url}/stream`, { signal: closing.signal });
  let streamed = "";
  const reading = (async () => {
    for await (const chunk of stream.body ?? []) streamed += Buffer.from(chunk).toString();
  })().catch((error) => {
    if (!closing.signal.aborted) throw error;
  });
  return {
    dsn: `http://key@localhost:${port}/1`,
    shown: () =>
      [...streamed.matchAll(/^data: ?(\[.*)$/gm)].map(([, line]) => JSON.parse(line ?? "")),
    async stop() {
      closing.abort();
      await reading;
      await server.stop();
    },
  };
}
