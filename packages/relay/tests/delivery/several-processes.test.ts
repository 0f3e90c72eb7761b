import { randomUUID } from "node:crypto";
import http from "node:http";
import { expect, inject, it, onTestFinished } from "vitest";
import { idsOf } from "@/tests/support/dispatchers";
import { temporaryFolder } from "@/tests/support/outboxes";
import { errorEnvelope, eventId } from "@/tests/support/sdk-envelopes";
import { startService } from "@/tests/support/service";
import { bundleTunnel, sendTo, startTunnelProcess } from "@/tests/support/tunnel-processes";

const processes = 5;
const reports = 1000;

it.each<[string, () => Record<string, string>]>([
  ["one folder", () => ({ DATA_DIR: temporaryFolder() })],
  [
    "one Postgres",
    () => ({
      DATABASE_URL: inject("postgresUrl"),
      DATABASE_SCHEMA: `test_${randomUUID().replaceAll("-", "")}`,
    }),
  ],
])(
  "five processes on %s deliver each report once",
  async (_, store) => {
    const service = await startService();
    onTestFinished(() => service.close());
    const script = await bundleTunnel();
    const env = { ...store(), SENTRY_DSN: service.dsn };
    const started = await Promise.all(
      Array.from({ length: processes }, () => startTunnelProcess(script, env)),
    );
    const agent = new http.Agent({ keepAlive: true, maxSockets: processes * 4 });
    onTestFinished(() => agent.destroy());
    const ids = Array.from({ length: reports }, eventId);
    const answers = await Promise.all(
      ids.map((id, i) => sendTo(agent, started[i % processes]?.port ?? 0, errorEnvelope(id))),
    );
    expect(answers.filter((isTaken) => !isTaken)).toEqual([]);
    await service.waitFor((s) => s.envelopes.length >= reports);
    expect(idsOf(service.attempts).sort()).toEqual(ids.sort());
    // One that is idle gets reports as well, and delivers each within a second, where the machine lets it.
    const delays: number[] = [];
    for (let n = 0; n < 3; n++) {
      const last = eventId();
      const sentAt = Date.now();
      expect(await sendTo(agent, started[0]?.port ?? 0, errorEnvelope(last))).toBe(true);
      const { receivedAt } = await service.waitFor((s) =>
        s.envelopes.find(({ header }) => header.event_id === last),
      );
      delays.push(receivedAt - sentAt);
    }
    expect(Math.min(...delays)).toBeLessThan(1000);
    expect(service.attempts).toHaveLength(reports + delays.length);
  },
  300_000,
);
