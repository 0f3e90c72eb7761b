import http from "node:http";
import { expect, inject, it } from "vitest";
import { temporaryFolder } from "@/tests/support/folders";
import { listen } from "@/tests/support/listening";
import { envelopeOf, errorEnvelope, eventId } from "@/tests/support/sdk-envelopes";
import { bundleTunnel, sendTo, startTunnelProcess } from "@/tests/support/tunnel-processes";

const megabyte = 1024 * 1024;

/** A service on a slow line: it pauses after each megabyte, for more than ten seconds in all. @returns what it has taken, in order */
async function startSlowService() {
  const taken: { id: string; bytes: number }[] = [];
  const { port } = await listen((request, response) => {
    let head = "";
    let bytes = 0;
    let paid = megabyte;
    request.on("data", (chunk: Buffer) => {
      head ||= chunk.subarray(0, 200).toString();
      bytes += chunk.length;
      if (bytes < paid) return;
      paid += megabyte;
      request.pause();
      setTimeout(() => request.resume(), 600);
    });
    request.on("end", () => {
      const [, id] = /"event_id":"(\w+)"/.exec(head) ?? [];
      // As a server starts, it sends an envelope without an event.
      if (id) taken.push({ id, bytes });
      response.setHeader("Content-Type", "application/json").end("{}");
    });
  });
  return { taken, dsn: `http://key@127.0.0.1:${port}/1` };
}

it.each(["SQLite", "Postgres"])(
  "a replay of 20 MiB goes over a slow line in one piece, once, and holds up nothing, on a heap of 256 MB: %s",
  async (engine) => {
    const { taken, dsn } = await startSlowService();
    const { port } = await startTunnelProcess(await bundleTunnel(), {
      SENTRY_DSN: dsn,
      RELAY_MAX_BYTES: String(21 * megabyte),
      DATA_DIR: temporaryFolder(),
      DATABASE_URL: engine === "Postgres" ? inject("postgresUrl") : "",
      DATABASE_SCHEMA: "large_reports",
      NODE_OPTIONS: "--max-old-space-size=256",
    });
    const agent = new http.Agent();
    const [large, small] = [eventId(), eventId()];
    const recording = Buffer.alloc(20 * megabyte, "x");
    const replay = envelopeOf({ event_id: large }, [{ type: "replay_recording" }, recording]);
    expect(await sendTo(agent, port, replay)).toBe(true);
    expect(await sendTo(agent, port, errorEnvelope(small))).toBe(true);
    await expect.poll(() => taken.length, { timeout: 120_000 }).toBe(2);
    expect(taken.map(({ id }) => id)).toEqual([small, large]);
    expect(taken[1]?.bytes).toBeGreaterThan(recording.length);
  },
);
