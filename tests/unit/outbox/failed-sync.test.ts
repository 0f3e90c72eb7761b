import { fdatasync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import { openOutbox } from "@/tests/support/outboxes";
import { errorEnvelope } from "@/tests/support/sdk-envelopes";

vi.mock("node:fs", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:fs")>();
  return { ...original, fdatasync: vi.fn(original.fdatasync) };
});

/** Makes each sync fail, as a disk that is broken does. @returns undoes that */
function breakSync(): () => void {
  const sync = vi.mocked(fdatasync);
  sync.mockImplementation((_, done) => done(new Error("EIO: i/o error, fdatasync")));
  const mend = () => void sync.mockReset();
  onTestFinished(mend);
  return mend;
}

it("can't be written as long as nothing gets to disk, and says so once", async () => {
  const { outbox, clock, lines } = openOutbox();
  await outbox.append(errorEnvelope(), "browser");
  const mend = breakSync();
  for (let n = 0; n < 3; n++) {
    await expect(outbox.append(errorEnvelope(), "browser")).rejects.toThrow("Writing to the disk");
    clock.now += 1000;
    expect(await outbox.stats()).toMatchObject({ writable: false });
  }
  expect(lines.map(({ event }) => event)).toEqual(["outbox can't be written"]);
  mend();
  clock.now += 1000;
  await outbox.append(errorEnvelope(), "browser");
  expect(await outbox.stats()).toMatchObject({ writable: true });
  expect(lines.at(-1)?.event).toBe("outbox can be written again");
});
