import { once } from "node:events";
import http from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "@/tests/support/outboxes";
import { errorEnvelope, eventId } from "@/tests/support/sdk-envelopes";
import { startService } from "@/tests/support/service";
import { bundleTunnel, sendTo, startTunnelProcess } from "@/tests/support/tunnel-processes";

const senders = 20;

it("loses nothing that was answered 200 when the process is killed in mid-stream, twice", async () => {
  const service = await startService();
  onTestFinished(() => service.close());
  const script = await bundleTunnel();
  const env = { DATA_DIR: temporaryFolder(), SENTRY_DSN: service.dsn };
  const agent = new http.Agent({ keepAlive: true, maxSockets: senders });
  onTestFinished(() => agent.destroy());
  const accepted = new Set<string>();

  for (const last of [false, false, true]) {
    const { child, port } = await startTunnelProcess(script, env);
    const goal = accepted.size + 1700;
    await Promise.all(
      Array.from({ length: senders }, async () => {
        while (accepted.size < goal) {
          const id = eventId();
          if (!(await sendTo(agent, port, errorEnvelope(id)))) break;
          accepted.add(id);
          if (accepted.size === goal && !last) child.kill("SIGKILL");
        }
      }),
    );
    expect(accepted.size).toBeGreaterThanOrEqual(goal);
    if (!last && child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }

  const missing = new Set(accepted);
  let looked = 0;
  await service.waitFor(({ envelopes }) => {
    for (; looked < envelopes.length; looked++) {
      missing.delete(String(envelopes[looked]?.header.event_id));
    }
    return missing.size === 0;
  }, 90_000);

  const seen = new Set<unknown>();
  const again = service.envelopes.filter(({ header }) => {
    const known = seen.has(header.event_id);
    seen.add(header.event_id);
    return known;
  });
  // What a killed process had claimed waits for the end of its lease. Sixty-four may be in the dispatcher's hands at each of the two kills.
  expect(again.length).toBeLessThanOrEqual(2 * 64);
}, 240_000);
