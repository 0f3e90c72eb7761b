import { expect, test } from "vitest";
import process from "@/lib/navigation/next/process.cjs";

test("has what Next's own has", async () => {
  // @ts-expect-error Next has no types for it
  const { default: original } = await import("next/dist/compiled/process/browser.js");
  const kinds = (of: object) =>
    Object.fromEntries(Object.entries(of).map(([name, value]) => [name, typeof value]));
  expect(kinds(process)).toEqual(kinds(original));
  expect(process).toMatchObject({ title: "browser", browser: true, env: {}, argv: [] });
  expect(() => process.chdir()).toThrow("process.chdir is not supported");
  expect(() => original.chdir()).toThrow("process.chdir is not supported");
});

test("what waits for the next tick runs in order, what it adds too, whatever throws", async () => {
  const ran: unknown[] = [];
  const thrown = new Promise((resolve) => globalThis.process.once("uncaughtException", resolve));
  const last = new Promise<void>((resolve) => {
    process.nextTick((...args) => void ran.push(...args), 1, 2);
    process.nextTick(() => {
      process.nextTick(() => {
        ran.push(4);
        resolve();
      });
      throw new Error("of the app's");
    });
    process.nextTick(() => void ran.push(3));
  });
  expect(ran).toEqual([]);
  await last;
  expect(ran).toEqual([1, 2, 3, 4]);
  expect(await thrown).toMatchObject({ message: "of the app's" });
});
