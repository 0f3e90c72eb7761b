import { expect, it } from "vitest";
import { OutboxError, type OutboxFault } from "@/packages/relay/src/outbox/driver";
import { GroupCommit } from "@/packages/relay/src/outbox/group-commit";

interface Numbered {
  number: number;
  size: number;
  low: number;
}

const numbered = (number: number, size = 0): Numbered => ({ number, size, low: 0 });

/** @param failure of a group, if it is to fail @param prepare done before each */
function open(
  failure: (numbers: number[]) => OutboxFault | undefined = () => undefined,
  prepare = async () => {},
) {
  const groups: number[][] = [];
  const commit = new GroupCommit<Numbered>({
    faultsOfOne: ["malformed"],
    prepare,
    write: async (group) => {
      const numbers = group.map(({ number }) => number);
      groups.push(numbers);
      const fault = failure(numbers);
      if (fault) throw new OutboxError(fault, "It failed.");
    },
  });
  /** @returns how each ended */
  const writeAll = async (writes: Numbered[]) => {
    const ends = await Promise.allSettled(writes.map((one) => commit.write(one)));
    return ends.map((end) => (end.status === "fulfilled" ? "written" : end.reason.fault));
  };
  return { commit, groups, writeAll };
}

const manyOf = (count: number, size = 0) =>
  Array.from({ length: count }, (_, n) => numbered(n, size));

it("what comes together is written together, in order, up to the bounds of a group", async () => {
  const { groups, writeAll } = open();
  await writeAll(manyOf(1100));
  expect(groups.map(({ length }) => length)).toEqual([500, 500, 100]);
  expect(groups.flat()).toEqual(manyOf(1100).map(({ number }) => number));
  await writeAll(manyOf(5, 3_000_000));
  expect(groups.slice(3)).toEqual([[0], [1], [2], [3], [4]]);
});

it("one at fault fails alone, and a fault of the store fails all that waits", async () => {
  const { groups, writeAll } = open((numbers) => (numbers.includes(2) ? "malformed" : undefined));
  const written = "written";
  expect(await writeAll(manyOf(5))).toEqual([written, written, "malformed", written, written]);
  expect(groups).toEqual([[0, 1, 2, 3, 4], [0, 1, 2], [0, 1], [2], [3, 4]]);
  const away = open(() => "busy");
  expect(new Set(await away.writeAll(manyOf(1100)))).toEqual(new Set(["busy"]));
  expect(away.groups).toHaveLength(1);
});

it("what can't be prepared is not written, and what comes later is", async () => {
  let isAway = true;
  const { groups, writeAll } = open(undefined, async () => {
    if (isAway) throw new OutboxError("unwritable", "It is away.");
  });
  expect(await writeAll([numbered(1)])).toEqual(["unwritable"]);
  isAway = false;
  expect(await writeAll([numbered(2)])).toEqual(["written"]);
  expect(groups).toEqual([[2]]);
});

it("hands over at once what waits as the process ends, also what is being prepared, and nothing twice", async () => {
  const preparing: (() => void)[] = [];
  const { commit, groups } = open(undefined, () => new Promise((end) => preparing.push(end)));
  const writes = [commit.write(numbered(1))];
  await expect.poll(() => preparing).toHaveLength(1);
  writes.push(commit.write(numbered(2)));
  void commit.flushNow();
  expect(groups).toEqual([[1, 2]]);
  writes.push(commit.write(numbered(3)));
  preparing[0]?.();
  await expect.poll(() => preparing).toHaveLength(2);
  await commit.flushNow();
  await Promise.all(writes);
  expect(groups).toEqual([[1, 2], [3]]);
});

it("takes no more than its bounds while as much waits, and less of low priority", async () => {
  const { writeAll } = open();
  const ends = await writeAll([...manyOf(4001), { ...numbered(4001), low: 1 }, ...manyOf(4000)]);
  expect(ends.indexOf("busy")).toBe(4001);
  expect(ends.filter((end) => end === "busy")).toHaveLength(2);
});

it("has settled what was written before when it is flushed", async () => {
  const { commit } = open((numbers) => (numbers.includes(3) ? "malformed" : undefined));
  const ends: string[] = [];
  for (const one of manyOf(1100)) {
    void commit.write(one).then(
      () => ends.push("written"),
      ({ fault }) => ends.push(fault),
    );
  }
  await commit.flush();
  expect(ends).toHaveLength(1100);
  expect(ends.filter((end) => end === "malformed")).toHaveLength(1);
});
