import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { join } from "node:path";
import { build } from "vite";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "@/tests/support/outboxes";
import { errorEnvelope, eventId } from "@/tests/support/sdk-envelopes";
import { startService } from "@/tests/support/service";

const root = join(import.meta.dirname, "../../..");
const senders = 20;

/** Bundles the report path's process and its thread, as Node runs no TypeScript. */
async function bundle(): Promise<string> {
  const outDir = join(root, "node_modules/.cache/signpost-tests");
  await build({
    configFile: false,
    logLevel: "error",
    root,
    resolve: { alias: { "@": root } },
    build: {
      ssr: true,
      rollupOptions: {
        input: ["tests/support/relay-process.ts", "lib/outbox/sqlite/checkpoint-worker.js"],
        output: { entryFileNames: "[name].js" },
      },
      outDir,
      emptyOutDir: true,
    },
  });
  return join(outDir, "relay-process.js");
}

async function startProcess(script: string, env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [script], {
    cwd: root,
    env: { ...process.env, NODE_ENV: "production", RELAY_RATE: "1000000", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  if (!child.stdout) throw new Error("Expected a pipe.");
  const [port] = await once(child.stdout, "data");
  return { child, port: Number(port) };
}

/** @returns whether it was answered 200 */
function send(agent: http.Agent, port: number, envelope: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.request({ agent, port, host: "127.0.0.1", method: "POST" });
    request.on("error", () => resolve(false));
    request.on("response", (response) => {
      response.on("error", () => resolve(false));
      response.on("end", () => resolve(response.statusCode === 200));
      response.resume();
    });
    request.end(envelope);
  });
}

it("loses nothing that was answered 200 when the process is killed in mid-stream, twice", async () => {
  const service = await startService();
  onTestFinished(() => service.close());
  const script = await bundle();
  const env = { DATA_DIR: temporaryFolder(), SENTRY_DSN: service.dsn };
  const agent = new http.Agent({ keepAlive: true, maxSockets: senders });
  onTestFinished(() => agent.destroy());
  const accepted = new Set<string>();

  for (const last of [false, false, true]) {
    const { child, port } = await startProcess(script, env);
    const goal = accepted.size + 1700;
    await Promise.all(
      Array.from({ length: senders }, async () => {
        while (accepted.size < goal) {
          const id = eventId();
          if (!(await send(agent, port, errorEnvelope(id)))) break;
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
  }, 30_000);

  const seen = new Set<unknown>();
  const again = service.envelopes.filter(({ header }) => {
    const known = seen.has(header.event_id);
    seen.add(header.event_id);
    return known;
  });
  // Sixty-four may be in the courier's hands at each of the two kills.
  expect(again.length).toBeLessThanOrEqual(2 * 64);
}, 120_000);
