import { describe, expect, it } from "vitest";
import { openOutbox } from "../../support/outboxes";
import { errorEnvelope, eventId } from "../../support/sdk-envelopes";

const all = { after: 0, limit: 1000 };

describe("the outbox", () => {
  it("has a report on disk when append resolves", async () => {
    const { outbox, file } = openOutbox();
    const envelope = errorEnvelope();
    await outbox.append(envelope, "browser");
    const other = openOutbox({ file }).outbox;
    const [report] = other.list(all);
    expect(report?.origin).toBe("browser");
    expect(Buffer.from(report?.envelope ?? []).equals(envelope)).toBe(true);
  });

  it("keeps the order of arrival", async () => {
    const { outbox } = openOutbox();
    const ids = Array.from({ length: 50 }, eventId);
    await Promise.all(ids.map((id) => outbox.append(errorEnvelope(id), "browser")));
    const found = outbox.list(all).map(({ envelope }) => idOf(envelope));
    expect(found).toEqual(ids);
  });

  it("refuses what is no envelope", async () => {
    const { outbox } = openOutbox();
    await expect(outbox.append(Buffer.from("nonsense"), "server")).rejects.toMatchObject({
      name: "OutboxError",
      fault: "malformed",
    });
    expect(outbox.stats()).toMatchObject({ writable: true, waiting: 0 });
  });

  it("never uses an id twice", async () => {
    const { outbox } = openOutbox();
    await outbox.append(errorEnvelope(), "browser");
    const [first] = outbox.claim({ after: 0, without: 0, limit: 1 });
    await outbox.settle(first?.id ?? 0, "delivered");
    await outbox.append(errorEnvelope(), "browser");
    expect(outbox.oldestId()).toBeGreaterThan(first?.id ?? Number.POSITIVE_INFINITY);
  });
});

function idOf(envelope: Uint8Array): unknown {
  const text = Buffer.from(envelope).toString();
  return JSON.parse(text.slice(0, text.indexOf("\n"))).event_id;
}
