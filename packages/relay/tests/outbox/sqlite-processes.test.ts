import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Outbox } from "@/packages/relay/src/outbox/outbox";
import { Processes } from "@/packages/relay/src/outbox/sqlite-processes";
import { openOutbox, temporaryFolder } from "@/tests/support/outboxes";
import { errorEnvelope } from "@/tests/support/sdk-envelopes";
import { bundleProcess } from "@/tests/support/tunnel-processes";

const claimingProcess = "packages/relay/tests/outbox/claiming-process.ts";
const claim = (outbox: Outbox) => outbox.claim({ limit: 100, without: 0 });

it("takes over what a killed process had in hand, and nothing of one that lives", async () => {
  const clock = { now: Date.now() };
  const { outbox, file } = openOutbox({ clock });
  for (let n = 0; n < 3; n++) await outbox.append(errorEnvelope(), "browser");
  const script = await bundleProcess(claimingProcess);
  const child = spawn(process.execPath, [script, file], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(String((await once(child.stdout, "data"))[0])).toBe("3\n");
  expect(await claim(outbox)).toEqual([]);
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  // As a failed attempt: the report may be what the process died of.
  const started = openOutbox({ clock, file }).outbox;
  expect((await claim(started)).map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
});

it("looks by itself while it lives", async () => {
  const clock = { now: Date.now() };
  const { outbox, file } = openOutbox({ clock });
  await outbox.append(errorEnvelope(), "browser");
  const script = await bundleProcess(claimingProcess);
  const child = spawn(process.execPath, [script, file], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  expect(await claim(outbox)).toEqual([]);
  const locks = () => readdirSync(dirname(file)).filter((name) => name.includes("process"));
  expect(locks()).toHaveLength(2);
  child.kill("SIGKILL");
  await expect.poll(() => claim(outbox)).toHaveLength(1);
  await outbox.close();
  expect(locks()).toEqual([]);
});

it("is not taken for dead while it starts", async () => {
  const file = join(temporaryFolder(), "outbox.db");
  const script = await bundleProcess("packages/relay/tests/outbox/looking-process.ts");
  const child = spawn(process.execPath, [script, file], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const starts = Array.from({ length: 1000 }, (_, n) => {
    const started = new Processes(file, `${n}`);
    started.enter();
    const isKnown = existsSync(`${file}.process-${n}`);
    started.leave();
    return isKnown;
  });
  expect(starts.filter((isKnown) => !isKnown)).toEqual([]);
});
