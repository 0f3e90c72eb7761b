import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { errorEnvelope } from "./support/envelopes.ts";
import { processorTime, residentMemory } from "./support/processes.ts";
import { buildSignpost, startSignpost } from "./support/servers.ts";
import { interleaved, lowerMean, median } from "./support/statistics.ts";
import { mebibytes, milliseconds, printTable } from "./support/table.ts";

const sizes = [10_000, 100_000];
const groups = 400;
const rounds = 5;
/** Requests of one sample: the kernel counts processor time in steps of 10 ms. */
const requests = 20;
/** Well below the number of reports that the inbox keeps. */
const batch = 2_000;

const burstSize = 600;
const burstGroups = 30;
const burstRounds = 8;

const token = "a-long-random-word";

/** What the inbox costs with many errors, SQLite. */
export async function inbox(): Promise<void> {
  await buildSignpost();
  await burst();
  const folder = mkdtempSync(join(tmpdir(), "signpost-bench-inbox-"));
  const { origin, pid, stop } = await startSignpost({ DATA_DIR: folder, INBOX_TOKEN: token });
  const opened = await fetch(`${origin}/reports?token=${token}`, { redirect: "manual" });
  const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
  const asked = {
    list: "/reports",
    "list, after a new error": "/reports",
    "search for a word of every error": "/reports?q=value",
    performance: "/reports?view=performance",
  };
  const names = Object.keys(asked) as (keyof typeof asked)[];
  const rows: string[][] = [];
  let filed = 0;
  for (const size of sizes) {
    for (; filed < size; filed += batch) await file(origin, folder, filed);
    const samples = await interleaved(rounds, names, async (name) => {
      let sum = 0;
      for (let n = 0; n < requests; n += 1) {
        if (name.endsWith("a new error")) {
          await post(origin, size + n);
          // Not its own processor time, but that of filing it.
          await wait(20);
        }
        const start = processorTime(pid);
        const response = await fetch(origin + asked[name], { headers: { cookie } });
        if (response.status !== 200) throw new Error(`${asked[name]} gave ${response.status}`);
        await response.arrayBuffer();
        sum += processorTime(pid) - start;
      }
      return sum / requests;
    });
    const what = `${size.toLocaleString("en")} errors`;
    for (const name of names) rows.push([`${what}: ${name}`, milliseconds(median(samples[name]))]);
    rows.push([`${what}: memory`, mebibytes(residentMemory(pid))]);
  }
  printTable(["the inbox, SQLite", "processor time"], rows);
  await stop();
  rmSync(folder, { recursive: true, force: true });
}

/** What an error costs from its POST to its row, stack resolved, as many come at once. */
async function burst(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "signpost-bench-burst-"));
  const { origin, pid, stop } = await startSignpost({ DATA_DIR: folder });
  const samples: number[] = [];
  for (let round = 0; round < burstRounds + 1; round += 1) {
    const before = processorTime(pid);
    let sent = 0;
    const lane = async () => {
      while (sent < burstSize) {
        const { body, headers } = errorEnvelope({ group: sent++ % burstGroups, frames: 30 });
        const response = await fetch(`${origin}/api/relay`, { method: "POST", body, headers });
        if (response.status !== 200) throw new Error(`The tunnel gave ${response.status}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    await untilFiled(folder, (round + 1) * burstSize);
    samples.push((processorTime(pid) - before) / burstSize);
  }
  // The first is the process's warm-up.
  const measured = samples.slice(1);
  printTable(
    [`POST to row: ${burstSize} errors, ${burstGroups} groups`, "processor time"],
    [
      ["first burst of a process", milliseconds(samples[0] ?? NaN)],
      ["median", milliseconds(median(measured))],
      ["lower half", milliseconds(lowerMean(measured))],
    ],
  );
  await stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Sends a batch of errors through the tunnel, eight at once, and waits until they are filed. */
async function file(origin: string, folder: string, from: number): Promise<void> {
  const lane = async (first: number) => {
    for (let n = first; n < from + batch; n += 8) await post(origin, n);
  };
  await Promise.all(Array.from({ length: 8 }, (_, n) => lane(from + n)));
  await untilFiled(folder, from + batch);
}

async function untilFiled(folder: string, errors: number): Promise<void> {
  const db = new DatabaseSync(join(folder, "outbox.db"), { readOnly: true });
  const count = db.prepare("select count(*) as count from signpost_errors");
  while (Number(count.get()?.count) < errors) await wait(100);
  db.close();
}

async function post(origin: string, n: number): Promise<void> {
  const response = await fetch(`${origin}/api/relay`, { method: "POST", body: envelopeOf(n) });
  if (response.status !== 200) throw new Error(`The tunnel gave ${response.status}`);
}

/** An error of one of the groups and, in one of ten, a page load. */
function envelopeOf(n: number): string {
  const id = randomUUID().replaceAll("-", "");
  const transaction = `/shop/${n % 20}`;
  const group = n % groups;
  const frame = { filename: `app:///pages/${group}.tsx`, function: "load", lineno: 1 };
  const stacktrace = { frames: [{ ...frame, in_app: true }] };
  const event = {
    event_id: id,
    transaction,
    release: `1.${n % 5}.0`,
    environment: "production",
    exception: { values: [{ type: "TypeError", value: `value ${group}`, stacktrace }] },
  };
  const now = Date.now() / 1000;
  const visit = {
    transaction,
    start_timestamp: now - 1,
    timestamp: now,
    contexts: { trace: { trace_id: id, span_id: id.slice(16), op: "pageload" } },
    measurements: { lcp: { value: n % 4000 }, fcp: { value: n % 3000 }, ttfb: { value: n % 900 } },
  };
  const lines: object[] = [{}, { type: "event" }, event];
  if (n % 10 === 0) lines.push({ type: "transaction" }, visit);
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
