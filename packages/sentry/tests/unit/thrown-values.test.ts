import { getClient } from "@sentry/nextjs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { reportFailure } from "@/packages/sentry/src/server/request-errors";
import { startReporting } from "@/packages/sentry/src/server/start-sdk";
import { readRuntimeConfig } from "@/packages/sentry/src/shared/environment/runtime";

/** Of each event: its id, and the words of its error. */
const stored: [id: string, words: string][] = [];

beforeAll(() => {
  startReporting({
    config: readRuntimeConfig({}),
    basePath: "",
    tunnelPath: "/api/relay",
    store: {
      async append(envelope) {
        const [, , payload = ""] = Buffer.from(envelope).toString().split("\n");
        const { event_id, exception } = JSON.parse(payload);
        stored.push([event_id, exception.values[0].value]);
      },
      async countDrops() {},
    },
    options: {},
  });
});

afterAll(() => getClient()?.close());

beforeEach(() => {
  stored.length = 0;
});

const fail = () => {
  throw new Error("can't be read");
};
const unreadable = new Proxy({}, { get: fail, ownKeys: fail, getPrototypeOf: fail, has: fail });
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();

test.each<[string, unknown, string]>([
  ["an empty text", "", ""],
  ["a text", "text", "text"],
  ["undefined", undefined, "undefined"],
  ["null", null, "null"],
  ["0", 0, "0"],
  ["NaN", Number.NaN, "NaN"],
  ["false", false, "false"],
  ["a bigint", 12n, "12"],
  ["a symbol", Symbol("s"), "Symbol(s)"],
  ["a function", fail, String(fail)],
  ["an empty array", [], ""],
  ["an empty String", Object(""), ""],
  ["an array that can't be read", [unreadable], "What was thrown can't be read"],
  ["a frozen object", Object.freeze({ a: 1 }), "Object captured as exception with keys: a"],
  ["a frozen error", Object.freeze(new Error("frozen")), "frozen"],
  ["a proxy that throws", unreadable, "What was thrown can't be read"],
  ["a proxy that is no more", revoked, "What was thrown can't be read"],
  [
    "an object of no kind",
    Object.create(null),
    "Object captured as exception with keys: [object has no keys]",
  ],
])("what is thrown is one event, whatever it is: %s", async (_, thrown, words) => {
  const reference = await reportFailure(thrown, { mechanism: "test" }, "GET");
  expect(stored).toEqual([[reference, words]]);
});
