import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { processorTime, residentMemory } from "./support/processes.js";
import { startSignpost } from "./support/servers.js";
import { buildSignpost } from "./support/signpost-build.js";
import { interleaved, median } from "./support/statistics.js";
import { mebibytes, milliseconds, printTable } from "./support/table.js";

const sizes = [10_000, 100_000];
const groups = 400;
const rounds = 5;
/** Requests of one sample: the kernel counts processor time in steps of 10 ms. */
const requests = 20;
/** Well below the number of reports that the outbox keeps. */
const batch = 2_000;

const token = "a-long-random-word";

/** What the inbox costs with many errors, SQLite. */
export async function inbox() {
  await buildSignpost();
  const folder = mkdtempSync(join(tmpdir(), "signpost-bench-inbox-"));
  const server = await startSignpost({ DATA_DIR: folder, INBOX_TOKEN: token });
  const cookie = await signIn(server.origin);
  const buildId = await buildIdOf(server.origin);
  /** @type {string[][]} */
  const rows = [];
  let filed = 0;
  for (const size of sizes) {
    await file(server.origin, folder, filed, size);
    filed = size;
    const data = `/_next/data/${buildId}/en/reports.json`;
    const asked = {
      "list, as a page": "/reports",
      "list, refreshed": data,
      "list, refreshed after a new error": data,
      "search for a word of every error": `${data}?q=value`,
      performance: `${data}?view=performance`,
    };
    const samples = await interleaved(
      rounds,
      /** @type {(keyof typeof asked)[]} */ (Object.keys(asked)),
      async (name) => {
        let sum = 0;
        for (let n = 0; n < requests; n += 1) {
          if (name.endsWith("a new error")) {
            await post(server.origin, size + n);
            // Not its own processor time, but that of filing it.
            await wait(20);
          }
          const start = processorTime(server.pid);
          const response = await fetch(server.origin + asked[name], { headers: { cookie } });
          if (response.status !== 200) throw new Error(`${asked[name]} gave ${response.status}`);
          await response.arrayBuffer();
          sum += processorTime(server.pid) - start;
        }
        return sum / requests;
      },
    );
    for (const [name, values] of Object.entries(samples)) {
      rows.push([`${size.toLocaleString("en")} errors: ${name}`, milliseconds(median(values))]);
    }
    rows.push([
      `${size.toLocaleString("en")} errors: memory`,
      mebibytes(residentMemory(server.pid)),
    ]);
  }
  printTable(["the inbox, SQLite", "processor time"], rows);
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** @param {string} origin */
async function signIn(origin) {
  const response = await fetch(`${origin}/reports?token=${token}`, { redirect: "manual" });
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** @param {string} origin */
async function buildIdOf(origin) {
  const html = await (await fetch(origin)).text();
  return /"buildId":"([^"]+)"/.exec(html)?.[1] ?? "";
}

/**
 * Sends errors through the tunnel, no faster than they are filed.
 *
 * @param {string} origin
 * @param {string} folder
 * @param {number} from
 * @param {number} to
 */
async function file(origin, folder, from, to) {
  for (let n = from; n < to; n += batch) {
    await Promise.all(Array.from({ length: 8 }, (_, lane) => sendLane(origin, n, lane)));
    const db = new Database(join(folder, "outbox.db"), { readonly: true });
    const count = db.prepare("select count(*) from errors").pluck();
    while (Number(count.get()) < n + batch) await wait(100);
    db.close();
  }
}

/** @param {string} origin @param {number} first @param {number} lane */
async function sendLane(origin, first, lane) {
  for (let n = first + lane; n < first + batch; n += 8) await post(origin, n);
}

/** @param {string} origin @param {number} n */
async function post(origin, n) {
  const response = await fetch(`${origin}/api/relay`, { method: "POST", body: envelopeOf(n) });
  if (response.status !== 200) throw new Error(`The tunnel gave ${response.status}`);
}

/** An error of one of the groups and, in one of ten, a page load. @param {number} n */
function envelopeOf(n) {
  const id = randomUUID().replaceAll("-", "");
  const route = `/shop/${n % 20}`;
  const group = n % groups;
  const frames = [
    { filename: `app:///pages/${group}.tsx`, function: "load", lineno: 1, in_app: true },
  ];
  const event = {
    event_id: id,
    transaction: route,
    release: `1.${n % 5}.0`,
    environment: "production",
    exception: { values: [{ type: "TypeError", value: `value ${group}`, stacktrace: { frames } }] },
  };
  const trace = { trace_id: id, span_id: id.slice(16), op: "pageload" };
  const now = Date.now() / 1000;
  const visit = {
    transaction: route,
    start_timestamp: now - 1,
    timestamp: now,
    contexts: { trace },
    measurements: { lcp: { value: n % 4000 }, fcp: { value: n % 3000 }, ttfb: { value: n % 900 } },
  };
  const items = [["event", event], ...(n % 10 === 0 ? [["transaction", visit]] : [])];
  return `${[{}, ...items.flatMap(([type, payload]) => [{ type }, payload])]
    .map((line) => JSON.stringify(line))
    .join("\n")}\n`;
}
