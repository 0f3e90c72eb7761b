import { once } from "node:events";
import http from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { runSql, startPostgres } from "@/tests/support/postgres.js";
import { errorEnvelope, eventId } from "@/tests/support/sdk-envelopes";
import { startService } from "@/tests/support/service";
import { bundleTunnel, sendTo, startTunnelProcess } from "@/tests/support/tunnel-processes";

const total = 8000;
const servers = 4;
const senders = 64;

it("four servers lose nothing when one is killed, Postgres restarts and the service is dead for a while", async () => {
  const postgres = await startPostgres([]);
  onTestFinished(() => postgres.stop());
  const service = await startService();
  onTestFinished(() => service.close());
  const script = await bundleTunnel();
  const env = { DATABASE_URL: postgres.url, SENTRY_DSN: service.dsn, DATA_DIR: "/proc/nowhere" };
  const processes = await Promise.all(
    Array.from({ length: servers }, () => startTunnelProcess(script, env)),
  );
  const ports = processes.map(({ port }) => port);
  const agent = new http.Agent({ keepAlive: true, maxSockets: senders });
  onTestFinished(() => agent.destroy());

  const accepted = new Set<string>();
  const happenings: [after: number, happen: () => Promise<unknown> | unknown][] = [
    [2000, () => processes[1]?.child.kill("SIGKILL")],
    [3000, () => service.behave("refuse")],
    [4000, () => postgres.restart()],
    [6000, () => service.behave("ok")],
  ];
  const happened: unknown[] = [];
  let next = 0;
  const sender = async () => {
    while (accepted.size < total) {
      const id = eventId();
      const port = ports[next++ % ports.length] ?? 0;
      if (!(await sendTo(agent, port, errorEnvelope(id)))) continue;
      accepted.add(id);
      const due = happenings[0];
      if (due && accepted.size >= due[0]) {
        happenings.shift();
        happened.push(due[1]());
      }
    }
  };
  await Promise.all(Array.from({ length: senders }, sender));
  await Promise.all(happened);
  expect(happenings).toEqual([]);

  // What the dead server had in hand is delivered when its lease has ended.
  const missing = new Set(accepted);
  let looked = 0;
  await service.waitFor(({ envelopes }) => {
    for (; looked < envelopes.length; looked++) {
      missing.delete(String(envelopes[looked]?.header.event_id));
    }
    return missing.size === 0;
  }, 150_000);
  const left = () => runSql(postgres.url, "select count(*) as count from signpost.signpost_outbox");
  await expect.poll(async () => Number((await left())[0]?.count), { timeout: 60_000 }).toBe(0);

  const seen = new Set<unknown>();
  const again = service.envelopes.filter(({ header }) => {
    const known = seen.has(header.event_id);
    seen.add(header.event_id);
    return known;
  });
  // The dead server's dispatcher had no more than these in hand.
  expect(again.length).toBeLessThanOrEqual(64);
  console.log(`${service.envelopes.length} envelopes delivered, ${again.length} of them twice`);

  const living = processes.filter(({ child }) => child.signalCode === null);
  expect(living).toHaveLength(servers - 1);
  for (const { child } of living) {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
});
