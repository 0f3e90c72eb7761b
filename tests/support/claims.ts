import { describe, expect, it } from "vitest";
import type { Claimed, Claims, OutboxEngine } from "@/lib/outbox/outbox";
import { engines, type Opened, type TestClock } from "./outboxes";
import { errorEnvelope } from "./sdk-envelopes";

/** A consumer's claims, and how it says that its work on a report is done. */
export interface Consumer extends Claims<{ limit: number }, Claimed> {
  done(id: number): Promise<void>;
}

/** An outbox with so many errors in it, and their ids. */
export async function filled(open: () => Opened, count: number) {
  const opened = open();
  const { outbox } = opened;
  await Promise.all(Array.from({ length: count }, () => outbox.append(errorEnvelope(), "browser")));
  const ids = (await outbox.list({ after: 0, limit: 20_000 })).map(({ id }) => id);
  return { ...opened, ids };
}

/** Tests what the claims of every consumer keep to, see `Claims`, on both engines. */
export function testClaims(
  name: string,
  consumerOf: (outbox: OutboxEngine, clock: TestClock) => Consumer,
): void {
  const claim = async (consumer: Consumer, limit = 100) =>
    (await consumer.claim({ limit })).map(({ id }) => id);

  describe.each(engines)(`a claim of ${name} in %s`, (_, open) => {
    async function start(count: number) {
      const opened = await filled(open, count);
      const { another, clock } = opened;
      const others = () => consumerOf(another(), clock);
      return { ...opened, consumer: consumerOf(opened.outbox, clock), others };
    }

    it("gives the oldest reports first, and none twice", async () => {
      const { consumer, ids } = await start(5);
      expect(await claim(consumer, 2)).toEqual(ids.slice(0, 2));
      expect(await claim(consumer, 2)).toEqual(ids.slice(2, 4));
      expect(await claim(consumer)).toEqual(ids.slice(4));
      expect(await claim(consumer)).toEqual([]);
    });

    it("gives none twice when several are requested together", async () => {
      const { consumer, ids } = await start(30);
      const claims = Array.from({ length: 4 }, () => claim(consumer, 10));
      expect((await Promise.all(claims)).flat().sort()).toEqual([...ids].sort());
    });

    it("gives what was put back in its old place", async () => {
      const { consumer, ids } = await start(4);
      await claim(consumer, 3);
      await consumer.requeue(ids[1] ?? 0);
      expect(await claim(consumer)).toEqual([ids[1], ids[3]]);
    });

    it("gives what has failed only after its back-off, and says how often it failed", async () => {
      const { consumer, ids, clock } = await start(1);
      const [id = 0] = ids;
      for (let failures = 0; failures < 3; failures++) {
        const [report] = await consumer.claim({ limit: 1 });
        expect(report).toMatchObject({ id, failures });
        await consumer.requeue(id, 1000);
        clock.now += 999;
        expect(await claim(consumer)).toEqual([]);
        clock.now += 1;
      }
    });

    it("does not end by what is not claimed", async () => {
      const { consumer, others, ids } = await start(2);
      const other = others();
      await claim(consumer);
      for (const id of ids) await other.requeue(id);
      await other.release();
      expect(await claim(other)).toEqual([]);
    });

    it("gives nobody what is done", async () => {
      const { consumer, others, ids } = await start(2);
      await claim(consumer);
      await consumer.done(ids[0] ?? 0);
      await consumer.release();
      expect(await claim(others())).toEqual(ids.slice(1));
    });

    it("gives no report to two processes, and all of them again once they are released", async () => {
      const { consumer, others, ids } = await start(40);
      const all = [consumer, others(), others()];
      const claimed = (await Promise.all(all.map((one) => claim(one, 15)))).flat();
      expect(new Set(claimed).size).toBe(claimed.length);
      for (const one of all) await one.release();
      expect(await claim(others())).toEqual(ids);
    });
  });
}
