import { describe, expect, it } from "vitest";
import { OutboxError } from "@/packages/relay/src/outbox/driver";
import { idsOf, startDispatcher } from "@/tests/support/dispatchers";
import { engines, statsOf } from "@/tests/support/outboxes";
import { envelopeOf, errorEnvelope, eventId } from "@/tests/support/sdk-envelopes";

describe("while the outbox is slow, the dispatcher", () => {
  it("makes one claim at a time, and sends no report twice", async () => {
    const { outbox, service, delays, manyPolls } = await startDispatcher();
    delays.hold("claim");
    const ids = Array.from({ length: 20 }, eventId);
    for (const id of ids) await outbox.append(errorEnvelope(id), "browser");
    await expect.poll(() => delays.held("claim")).toBe(1);
    await manyPolls();
    expect(delays.held("claim")).toBe(1);
    delays.pass("claim");
    await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0 });
    expect(idsOf(service.attempts).sort()).toEqual(ids.sort());
  });

  it("sends no report again while its removal is on its way, and no more than a crash may repeat", async () => {
    const { outbox, service, delays, manyPolls } = await startDispatcher();
    delays.hold("acknowledge");
    for (let n = 0; n < 100; n++) await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => delays.held("acknowledge")).toBe(64);
    await manyPolls();
    expect(service.attempts).toHaveLength(64);
    delays.pass("acknowledge");
    await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0 });
    expect(new Set(idsOf(service.attempts)).size).toBe(100);
    expect(service.attempts).toHaveLength(100);
  });

  it("has no more than some megabytes of reports in hand", async () => {
    const { outbox, service, delays, manyPolls } = await startDispatcher();
    delays.hold("acknowledge");
    const large = () => envelopeOf({ event_id: eventId() }, [{ type: "event" }, "x".repeat(2e6)]);
    for (let n = 0; n < 16; n++) await outbox.append(large(), "browser");
    await service.waitFor((s) => s.attempts.length > 7);
    await manyPolls();
    expect(service.attempts.length).toBeLessThan(13);
    delays.pass("acknowledge");
    await service.waitFor((s) => s.attempts.length === 16);
    await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0 });
  });

  it("puts back what it claimed when the service began to fail meanwhile", async () => {
    const times = { connectMs: 1000, responseMs: 1000 };
    const { outbox, service, delays, clock } = await startDispatcher({ times });
    await service.behave("hang");
    await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.attempts.length === 1);
    delays.hold("claim");
    for (let n = 0; n < 5; n++) await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => delays.held("claim")).toBe(1);
    await expect.poll(() => delays.calls("acknowledge")).toBe(1);
    delays.pass("claim");
    await expect.poll(() => delays.calls("acknowledge")).toBe(6);
    expect(service.attempts).toHaveLength(1);
    await service.behave("ok");
    clock.now += 1000;
    await service.waitFor((s) => s.envelopes.length === 6);
  });
});

describe.each(engines)("while it can't acknowledge a report in %s, the dispatcher", (_, open) => {
  it("tries again, and doesn't send it again", async () => {
    const opened = open();
    const { outbox, service, delays, clock, manyPolls } = await startDispatcher({
      open: () => opened,
    });
    const { acknowledge } = outbox;
    outbox.acknowledge = () => Promise.reject(new OutboxError("busy", "Not now."));
    const { rehearse } = outbox;
    outbox.rehearse = async () => false;
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => delays.calls("acknowledge")).toBeGreaterThan(25);
    // Its lease ends meanwhile.
    clock.now += 60_000;
    await manyPolls();
    outbox.acknowledge = acknowledge;
    outbox.rehearse = rehearse;
    await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0, setAside: 0 });
    expect(service.attempts).toHaveLength(1);
  });

  it("sets it aside if the outbox works, and delivers the others", async () => {
    const opened = open();
    const { outbox, service, clock } = await startDispatcher({ open: () => opened });
    const acknowledge = outbox.acknowledge.bind(outbox);
    const poison = new Set<unknown>();
    outbox.acknowledge = async (report, outcome) => {
      if (poison.size < 64) poison.add(report.id);
      if (!poison.has(report.id)) return acknowledge(report, outcome);
      throw new OutboxError("unwritable", "This one can't be removed.");
    };
    // As many as the dispatcher may have in hand: the others wait for their places.
    for (let n = 0; n < 64; n++) await outbox.append(errorEnvelope(), "browser");
    const honest = eventId();
    await outbox.append(errorEnvelope(honest), "browser");
    await service.waitFor((s) => idsOf(s.envelopes).includes(honest));
    await expect.poll(() => statsOf(outbox)).toMatchObject({ writable: true, setAside: 64 });
    // Their leases have ended: they are acknowledged, and not sent again.
    outbox.acknowledge = acknowledge;
    clock.now += 60_000;
    await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0, setAside: 64 });
    expect(service.attempts).toHaveLength(65);
  });
});

/** @param isFailing whether a claim fails, by its statement */
async function startFailingClaims(isFailing: (text: string) => boolean) {
  const started = await startDispatcher({ maxBytes: 256 * 1024 * 1024 });
  const { driver } = started.outbox;
  const transaction = driver.transaction.bind(driver);
  let failed = 0;
  driver.transaction = (statements, ...rest) => {
    const claims = statements.filter(({ text }) => text.includes("set claimed_by = $"));
    if (!claims.some(({ text }) => isFailing(text))) return transaction(statements, ...rest);
    failed++;
    return Promise.reject(new OutboxError("unwritable", "Not now."));
  };
  const large = Buffer.alloc(5 * 1024 * 1024, "x");
  const id = eventId();
  await started.outbox.append(
    envelopeOf({ event_id: id }, [{ type: "event" }, "{}"], [{ type: "attachment" }, large]),
    "browser",
  );
  return { ...started, id, failed: () => failed };
}

it("claims large reports as soon as a store that was away is back", async () => {
  let isAway = true;
  const { service, id, failed } = await startFailingClaims(() => isAway);
  await expect.poll(failed).toBeGreaterThan(4);
  isAway = false;
  await service.waitFor((s) => idsOf(s.envelopes).includes(id));
});

it("claims small reports for a minute where a claim of large ones fails", async () => {
  let isSlow = true;
  const { outbox, service, clock, id, failed } = await startFailingClaims(
    (text) => isSlow && !text.includes("size <= "),
  );
  await expect.poll(failed).toBe(1);
  const small = eventId();
  await outbox.append(errorEnvelope(small), "browser");
  await service.waitFor((s) => idsOf(s.envelopes).includes(small));
  clock.now += 60_000;
  await expect.poll(failed).toBe(2);
  isSlow = false;
  clock.now += 60_000;
  await service.waitFor((s) => idsOf(s.envelopes).includes(id));
});

it("goes on when claims fail for a while, and says so meanwhile", async () => {
  const { outbox, service, manyPolls, lines } = await startDispatcher();
  const { driver } = outbox;
  const transaction = driver.transaction.bind(driver);
  driver.transaction = (statements, ...rest) =>
    statements.some(({ text }) => text.includes("set claimed_by = $"))
      ? Promise.reject(new OutboxError("unwritable", "Not now."))
      : transaction(statements, ...rest);
  await outbox.append(errorEnvelope(), "browser");
  await manyPolls();
  expect(await statsOf(outbox)).toMatchObject({ writable: false, reason: "Not now." });
  driver.transaction = transaction;
  await service.waitFor((s) => s.envelopes.length === 1);
  await expect.poll(() => statsOf(outbox)).toMatchObject({ writable: true });
  const line = (event: string) => expect.objectContaining({ event });
  expect(lines).toEqual([line("outbox can't be written"), line("outbox can be written again")]);
});
