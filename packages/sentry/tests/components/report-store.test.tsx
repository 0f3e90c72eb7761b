import { afterEach, beforeEach, expect, test, vi } from "vitest";

let store: typeof import("@/packages/sentry/src/browser/first-load/report-store");
let room: typeof import("@/packages/sentry/src/browser/sdk/report-capacity");

beforeEach(async () => {
  localStorage.clear();
  // What the page holds is as old as the page.
  vi.resetModules();
  store = await import("@/packages/sentry/src/browser/first-load/report-store");
  room = await import("@/packages/sentry/src/browser/sdk/report-capacity");
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const envelope = (type: string, text: string) => `{}\n{"type":"${type}"}\n"${text}"\n`;
const event = (text: string | number) => envelope("event", String(text));
const transaction = (text: string | number) => envelope("transaction", String(text));

const stored = () => store.reportKeys().map(room.readReport);

/** A browser whose storage has no more room than this many UTF-16 units for values. */
function limitStorage(limit: number) {
  const values: Record<string, string> = {};
  const limited = new Proxy(values, {
    set(target, key, value: string) {
      const used = Object.values(target).reduce((sum, one) => sum + one.length, 0);
      if (used + value.length > limit) throw new DOMException("full", "QuotaExceededError");
      target[String(key)] = value;
      return true;
    },
  });
  vi.stubGlobal("localStorage", limited);
  return values;
}

test("reports are stored each under a key of its own, oldest first", () => {
  localStorage.setItem("of-the-app", "stays");
  // All within one millisecond.
  const events = Array.from({ length: 12 }, (_, n) => event(n));
  for (const one of events) store.storeReport(one);
  expect(Object.keys(localStorage)).toHaveLength(13);
  expect(stored()).toEqual(events);
});

test("what the app has stored is not read for the keys of reports", () => {
  const key = "signpost-report-1-100000-0";
  const values: Record<string, string> = { "of-the-app": "large", [key]: event(0) };
  const read = vi.fn((target: object, key: string) => Reflect.get(target, key));
  vi.stubGlobal("localStorage", new Proxy(values, { get: read as ProxyHandler<object>["get"] }));
  expect(store.reportKeys()).toEqual([key]);
  expect(read).not.toHaveBeenCalled();
});

test("the oldest are evicted", () => {
  localStorage.setItem("of-the-app", "stays");
  for (let n = 0; n < 100; n++) {
    room.storeWithinBounds(event(n));
    vi.advanceTimersByTime(1);
  }
  room.storeWithinBounds(event("last"));
  expect(stored()).toHaveLength(100);
  expect(stored().at(0)).toBe(event(1));
  expect(stored().at(-1)).toBe(event("last"));
  expect(localStorage.getItem("of-the-app")).toBe("stays");
});

test("measurements are evicted before errors, and take none from them", () => {
  for (let n = 0; n < 99; n++) room.storeWithinBounds(event(n));
  room.storeWithinBounds(transaction("old"));
  room.storeWithinBounds(transaction("new"));
  expect(stored()).toContain(transaction("new"));
  room.storeWithinBounds(event(99));
  room.storeWithinBounds(transaction("newest"));
  expect(stored()).toEqual(Array.from({ length: 100 }, (_, n) => event(n)));
});

test("all together are no longer than a million units", () => {
  const long = (name: string) => event(name + "x".repeat(400_000));
  for (const name of ["a", "b", "c"]) room.storeWithinBounds(long(name));
  room.storeWithinBounds(event("x".repeat(1_000_000)));
  expect(stored()).toEqual([long("b"), long("c")]);
});

test("a storage that keeps what is taken from it costs the page nothing but the report", () => {
  vi.stubGlobal("localStorage", new Proxy({}, { deleteProperty: () => true }));
  for (let n = 0; n < 101; n++) room.storeWithinBounds(event(n));
  expect(stored()).toHaveLength(100);
});

test("without the SDK, which makes room, a hundred are stored or held", () => {
  limitStorage(60 * event(10).length);
  for (let n = 10; n < 120; n++) store.storeReport(event(n));
  expect(stored()).toEqual(Array.from({ length: 100 }, (_, n) => event(n + 10)));
});

test("the last third of what browsers allow an origin is left to the app: beyond that, the page holds reports", () => {
  vi.stubGlobal("localStorage", {});
  const large = event("x".repeat(50_000));
  for (let n = 0; n < 100; n++) store.storeReport(large);
  expect(stored()).toHaveLength(100);
  expect(JSON.stringify(localStorage).length).toBeLessThan(3_100_000);
});

test("where the browser's storage is full, as of what the app has in it, the page holds the rest", () => {
  const values = limitStorage(3 * event(0).length);
  for (const n of [0, 1, 2, 3]) room.storeWithinBounds(event(n));
  expect(Object.values(values)).toEqual([event(0), event(1), event(2)]);
  expect(stored()).toEqual([0, 1, 2, 3].map(event));
  for (const key of store.reportKeys()) room.removeReport(key);
  expect(stored()).toEqual([]);
});

test("without storage, as in some WebViews, the page holds what it can", () => {
  vi.stubGlobal("localStorage", null);
  expect(stored()).toEqual([]);
  store.storeReport(event(0));
  room.storeWithinBounds(event(1));
  expect(stored()).toEqual([event(0), event(1)]);
});

test("where storage is forbidden, the page holds what it can", () => {
  vi.spyOn(window, "localStorage", "get").mockImplementation(() => {
    throw new DOMException("forbidden", "SecurityError");
  });
  store.storeReport(event(0));
  expect(stored()).toEqual([event(0)]);
});
