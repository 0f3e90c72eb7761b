import { describe, expect, test } from "vitest";
import type { Driver } from "@/packages/relay/src/outbox/driver";
import { Releases } from "@/packages/sentry/src/server/releases";
import { drivers } from "@/tests/support/drivers";
import { everyTable } from "@/tests/support/outboxes";

function server(driver: Driver, build: string, release: string) {
  const clock = { now: 0 };
  const releases = new Releases({ build, release, driver: () => driver, now: () => clock.now });
  return { releases, clock };
}

describe.each(drivers)("in %s", (_name, open) => {
  test("servers of several builds know each other's releases, and nobody knows a stranger's", async () => {
    const { driver, another } = open(everyTable);
    const old = server(driver, "build-a", "1.0");
    const next = server(another(), "build-b", "2.0");
    await old.releases.announce();
    await next.releases.announce();
    expect(await next.releases.of("build-b")).toBe("2.0");
    expect(await next.releases.of("build-a")).toBe("1.0");
    expect(await old.releases.of("build-b")).toBe("2.0");
    expect(await old.releases.of("build-%")).toBeUndefined();
    expect(await old.releases.of("__proto__")).toBeUndefined();
  });

  test("the release of a build is the one that its latest start has named", async () => {
    const { driver, another } = open(everyTable);
    const other = server(another(), "build-b", "3.0");
    for (const release of ["1.0", "1.1"]) {
      await server(driver, "build-a", release).releases.announce();
    }
    expect(await other.releases.of("build-a")).toBe("1.1");
  });
});

/** A store that counts how often it is asked. */
function counting(rows: () => Promise<object[]>) {
  const counts = { reads: 0, writes: 0 };
  const driver = {
    read() {
      counts.reads += 1;
      return rows();
    },
    transaction() {
      counts.writes += 1;
      return Promise.resolve([]);
    },
  } as unknown as Driver;
  return { counts, driver };
}

test("strangers who invent builds have the store asked once in ten seconds", async () => {
  const rows = [{ name: "release of build build-b", value: "2.0" }];
  const { counts, driver } = counting(async () => rows);
  const { releases, clock } = server(driver, "build-a", "1.0");
  for (let n = 0; n < 100; n += 1) expect(await releases.of(`invented ${n}`)).toBeUndefined();
  expect(counts.reads).toBe(1);
  clock.now = 10_000;
  expect(await releases.of("build-c")).toBeUndefined();
  expect(await releases.of("build-b")).toBe("2.0");
  expect(counts.reads).toBe(2);
});

test("pages that ask while the store is being read are told of what it says", async () => {
  const rows = [{ name: "release of build build-b", value: "2.0" }];
  const { counts, driver } = counting(async () => rows);
  const { releases } = server(driver, "build-a", "1.0");
  const asked = ["build-b", "invented", "build-b"].map((build) => releases.ofPage(build));
  expect(await Promise.all(asked)).toEqual(["2.0", "invented", "2.0"]);
  expect(counts.reads).toBe(1);
});

test("a store that fails makes no release known, and forgets none", async () => {
  let rows = async () => [{ name: "release of build build-b", value: "2.0" }];
  const { driver } = counting(() => rows());
  const { releases, clock } = server(driver, "build-a", "1.0");
  expect(await releases.of("build-b")).toBe("2.0");
  rows = () => Promise.reject(new Error("The store fails"));
  clock.now = 10_000;
  expect(await releases.of("build-c")).toBeUndefined();
  expect(await releases.of("build-b")).toBe("2.0");
});

test.each([
  ["no build", undefined, "1.0"],
  ["its mark of an earlier version", true, "1.0"],
  ["this server's build", "build-a", "1.0"],
  ["a build that is known", "build-b", "2.0"],
  ["a build that is not known", "build-c", "build-c"],
  ["what can't be a release", "a/b", undefined],
  ["what is too long for one", "x".repeat(201), undefined],
])("a page that names %s has a release", async (_what, build, release) => {
  const { driver } = counting(async () => [{ name: "release of build build-b", value: "2.0" }]);
  const { releases } = server(driver, "build-a", "1.0");
  expect(await releases.ofPage(build)).toBe(release);
});

test("a server whose release is the id of its build has nothing to tell", async () => {
  const { counts, driver } = counting(async () => []);
  await server(driver, "build-a", "build-a").releases.announce();
  expect(counts.writes).toBe(0);
});
