import * as Sentry from "@sentry/nextjs";
import { afterAll, expect, test, vi } from "vitest";
import { relay, relayParts } from "@/packages/sentry/src/server/relay";
import { tellMisplaced, withOptions } from "@/packages/sentry/src/server/start";
import { startReporting } from "@/packages/sentry/src/server/start-sdk";
import { readRuntimeConfig } from "@/packages/sentry/src/shared/environment/runtime";

afterAll(() => Sentry.getClient()?.close());

test("an SDK that is started before ours, or after it, is told, and ours is used, with its options", async () => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const told = () => written.mock.calls.filter(([line]) => String(line).includes("another Sentry"));
  const theirs = { dsn: "https://key@sentry.example.com/1", enableOpenTelemetrySetup: false };
  Sentry.init(theirs);
  const appended: string[] = [];
  startReporting({
    config: readRuntimeConfig({}),
    basePath: "",
    tunnelPath: "/api/relay",
    store: {
      append: async (envelope) => void appended.push(Buffer.from(envelope).toString()),
      countDrops: async () => {},
    },
    options: { sendDefaultPii: true, attachStacktrace: true } as never,
  });
  expect(told()).toHaveLength(1);
  expect(String(written.mock.calls)).toMatch(/sendDefaultPii has no effect here: .*allowedNames/);
  Sentry.captureMessage("hello");
  await Sentry.flush();
  expect(appended.join()).toContain("hello");
  expect(appended.join()).toContain('"stacktrace"');
  // As the init of another of Sentry's packages does.
  const client = new Sentry.NodeClient(Sentry.getClient()?.getOptions() as never);
  Sentry.setCurrentClient(client);
  Sentry.setCurrentClient(client);
  expect(told()).toHaveLength(2);
});

test("a dsn among the options decides what SENTRY_DSN decides: the default rates, and the proxy", () => {
  const env = { HTTPS_PROXY: "http://proxy.example.com:3128", SENTRY_ENVIRONMENT: "staging" };
  const dsn = "https://key@sentry.example.com/1";
  const config = readRuntimeConfig(env);
  expect(config).toMatchObject({ serverTracesSampleRate: 1, proxy: undefined });
  expect(withOptions(config, { dsn }, env)).toEqual(readRuntimeConfig({ ...env, SENTRY_DSN: dsn }));
  expect(withOptions(config, { dsn, tracesSampleRate: 0.5 }, env)).toMatchObject({
    serverTracesSampleRate: 0.5,
    browserTracesSampleRate: 0.1,
    proxy: { url: env.HTTPS_PROXY },
  });
});

test("a server without its build is told", () => {
  const distDir = "/nowhere";
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  written.mockClear();
  tellMisplaced({ production: true, build: "development" }, { distDir });
  tellMisplaced({ production: true, build: "b" }, { distDir });
  const told = written.mock.calls.map(([line]) => String(line));
  expect(told).toEqual([expect.stringMatching(/no build.*Start the server in the app's folder/)]);
});

test("what is no destination is named as the server starts, such as a function that was not called", () => {
  relayParts().destination = (() => ({})) as never;
  expect(() => relay()).toThrow(
    "Expected `destination` to have `name`, `tables` and `open`, got function",
  );
});
