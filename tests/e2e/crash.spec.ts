import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "../support/app";
import { startService } from "../support/service";

const preload = pathToFileURL(join(import.meta.dirname, "../support/crash-on-signal.mjs")).href;

for (const [signal, message, level] of [
  ["SIGUSR2", "Nobody catches this", "fatal"],
  ["SIGHUP", "Nobody awaits this", "error"],
] as const) {
  test(`a process that dies of "${message}" has put it on disk before`, {
    tag: level === "fatal" ? [] : "@verify",
  }, async ({ launch }) => {
    const service = await startService();
    await service.behave("refuse");
    const env = { SENTRY_DSN: service.dsn, SENTRY_TRACES_SAMPLE_RATE: "0" };
    const app = await launch({ ...env, NODE_OPTIONS: `--import=${preload}` });
    app.signal(signal);
    await app.exited;
    await service.behave("ok");
    const next = await launch({ ...env, DATA_DIR: app.dataDir });
    const { payload } = await service.waitFor(({ items }) => items("event")[0]);
    expect(payload).toMatchObject({
      level,
      tags: { side: "server" },
      exception: { values: [{ value: message, mechanism: { handled: false } }] },
    });
    await next.stop();
    expect(service.items("event")).toHaveLength(1);
    await service.close();
  });
}
