import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";

const chunks = readdirSync(".next/static/chunks").filter((name) => name.endsWith(".js"));

/** In files of the build, so that their places in the source can be found. */
const framesOf = (group: number, length: number) =>
  Array.from({ length }, (_, at) => ({
    function: `step${at}`,
    filename: `http://localhost/_next/static/chunks/${chunks[at % 3]}`,
    lineno: 1,
    colno: 1200 + 40 * group + at,
    in_app: true,
  }));
/** Numbers in a message make no group of their own. */
const word = (group: number) => String.fromCharCode(97 + (group % 26), 97 + Math.floor(group / 26));
const breadcrumbs = Array.from({ length: 12 }, (_, at) => ({
  timestamp: 1_800_000_000 + at,
  category: "navigation",
  data: { from: "/static", to: "/dynamic/[id]", stage: "complete" },
}));

/** An error as a browser's SDK sends it, about 3 kB with 12 frames, with an id nobody else has. */
export function errorEnvelope({ group = 0, frames = 12 } = {}) {
  const id = randomBytes(16).toString("hex");
  const stacktrace = { frames: framesOf(group, frames) };
  const event = {
    event_id: id,
    timestamp: Date.now() / 1000,
    platform: "javascript",
    transaction: "/dynamic/[id]",
    release: "bench",
    environment: "production",
    exception: {
      values: [{ type: "TypeError", value: `${word(group)} is not there`, stacktrace }],
    },
    breadcrumbs,
  };
  const header = {
    event_id: id,
    sent_at: new Date().toISOString(),
    dsn: "http://0123456789abcdef0123456789abcdef@localhost/42",
  };
  const lines = [header, { type: "event" }, event].map((line) => `${JSON.stringify(line)}\n`);
  const headers = { "Content-Type": "text/plain;charset=UTF-8" };
  return { id, body: Buffer.from(lines.join("")), headers };
}
