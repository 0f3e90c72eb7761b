import { expect, onTestFinished, test } from "vitest";
import { envelope } from "../support/envelopes";
import { eventId } from "../support/sdk-envelopes";
import { startService } from "../support/service";
import { errorWith, framesOfBuild } from "./attacks";
import { address, expectDelivered, expectUnharmed, inParallel, startTarget } from "./target";

/** Of one event: SDKs send no more. */
const maxFrames = 50;
/** What four addresses may send in a quarter of a minute. */
const attacks = 300;

test("stacks made to take long don't leave other errors without their source", async () => {
  const service = await startService();
  onTestFinished(() => service.close());
  const target = await startTarget({ SENTRY_DSN: service.dsn });
  const { alternating, ordinary } = framesOfBuild();
  const report = async (frames: Record<string, unknown>[], from: string) => {
    const id = eventId();
    const event = errorWith(frames, { event_id: id }, `error ${id}`);
    const body = envelope([["event", event]], { event_id: id });
    const { status } = await target.report(body, { from });
    expect(status).toBe(200);
    return id;
  };
  // The map is read once, in peace.
  await expectDelivered(service, [await report(ordinary.slice(0, 1), address(9))]);

  const sent = await inParallel(Array(attacks).keys(), (n) => {
    const first = (n * maxFrames) % (alternating.length - maxFrames);
    return report(alternating.slice(first, first + maxFrames), address(n % 4));
  });
  await expectDelivered(service, sent);
  // What nobody waits for any more is not looked for.
  const others = ordinary.slice(1)[Symbol.iterator]();
  const hasSource = async () => {
    const frame = others.next().value ?? {};
    const other = await report([frame], address(9));
    await expectDelivered(service, [other]);
    const arrived = service.envelopes.find(({ header }) => header.event_id === other);
    return !arrived?.items[0]?.bytes.includes("/_next/static/");
  };
  await expect.poll(hasSource).toBe(true);
  await expectUnharmed(target, service);
});
