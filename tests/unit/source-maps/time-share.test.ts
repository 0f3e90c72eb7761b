import { expect, test } from "vitest";
import { TimeShare } from "@/lib/source-maps/time-share";

test("what is used comes in again at its share, up to a maximum", () => {
  const clock = { now: 5_000 };
  const share = new TimeShare({ burstMs: 1_000, share: 0.2 }, () => clock.now);
  expect(share.leftMs).toBe(1_000);
  share.use(600);
  expect(share.leftMs).toBe(400);
  clock.now += 1_000;
  expect(share.leftMs).toBe(600);
  clock.now += 3_600_000;
  expect(share.leftMs).toBe(1_000);
});

test("what was used beyond it has to come in first", () => {
  const clock = { now: 0 };
  const share = new TimeShare({ burstMs: 100, share: 0.5 }, () => clock.now);
  share.use(300);
  expect(share.leftMs).toBe(0);
  clock.now += 400;
  expect(share.leftMs).toBe(0);
  clock.now += 100;
  expect(share.leftMs).toBe(50);
});
