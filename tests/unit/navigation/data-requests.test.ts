import { describe, expect, it } from "vitest";
import { limitConcurrency } from "@/lib/navigation/data-requests";

/** Calls that end when they are told to. */
function calls() {
  const ends: { name: string; resolve: () => void; reject: (error: Error) => void }[] = [];
  const run = (name: string) =>
    new Promise<string>((resolve, reject) => {
      ends.push({ name, resolve: () => resolve(name), reject });
    });
  return { ends, run, names: () => ends.map(({ name }) => name) };
}

/** Lets everything that is already settled take its course. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("limitConcurrency", () => {
  it("lets only so many calls run at once, and the rest in order", async () => {
    const { ends, run, names } = calls();
    const limited = limitConcurrency(run, 2);
    const results = ["a", "b", "c", "d"].map((name) => limited(name));
    await settled();
    expect(names()).toEqual(["a", "b"]);
    ends[1]?.resolve();
    await settled();
    expect(names()).toEqual(["a", "b", "c"]);
    ends[0]?.resolve();
    ends[2]?.resolve();
    await settled();
    ends[3]?.resolve();
    expect(await Promise.all(results)).toEqual(["a", "b", "c", "d"]);
  });

  it("goes on after a call that fails, and hands on its error", async () => {
    const { ends, run, names } = calls();
    const limited = limitConcurrency(run, 1);
    const first = limited("a");
    const second = limited("b");
    await settled();
    ends[0]?.reject(new Error("gone"));
    await expect(first).rejects.toThrow("gone");
    await settled();
    expect(names()).toEqual(["a", "b"]);
    ends[1]?.resolve();
    expect(await second).toBe("b");
  });
});
