import { mkdirSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { noteUpload } from "@/packages/sentry/src/config/kept-source-maps";
import { sourceMapsFolder } from "@/packages/sentry/src/shared/environment/build";
import { envelope, someEventId } from "@/tests/support/envelopes";
import { temporaryFolder } from "@/tests/support/outboxes";
import { startOutgoingProxy } from "@/tests/support/outgoing-proxy";
import { type Behaviour, type Service, startService } from "@/tests/support/service";
import { simpleMap, writeMap } from "@/tests/support/source-maps";

const reported = {
  filename: "http://localhost/_next/static/chunks/a.js",
  function: "r",
  lineno: 1,
  colno: 1,
  in_app: true,
};

let before: string;
beforeEach(() => {
  before = process.cwd();
});
afterEach(() => {
  process.chdir(before);
  vi.unstubAllEnvs();
});

/**
 * Serves a build from a folder of its own, and reports errors until the service gets one in the
 * source, or has got enough of them. An error does not wait for a map that a busy machine takes long
 * to read; the next one finds it read.
 *
 * @returns the last frame that the service got
 */
async function delivered(uploaded: boolean, resolveStacks: string): Promise<unknown> {
  const folder = temporaryFolder();
  process.chdir(folder);
  mkdirSync(".next");
  writeFileSync(".next/BUILD_ID", "b1");
  const source = simpleMap("turbopack:///[project]/pages/a.tsx", "throw 1;", [[0, 0, 0, 0]]);
  writeMap(sourceMapsFolder(".next"), "static/chunks/a.js", source);
  if (uploaded) noteUpload(".next", "b1");
  const { service, outbox } = await startedWith({ SENTRY_RESOLVE_STACKS: resolveStacks });
  let frame: typeof reported | undefined;
  for (let sent = 0; sent < 5 && (frame ?? reported).filename === reported.filename; sent += 1) {
    const values = [{ type: "Error", value: "broken", stacktrace: { frames: [reported] } }];
    const event = { event_id: someEventId(), release: "b1", exception: { values } };
    await outbox.append(envelope([["event", event]]), "browser");
    frame = await service.waitFor(({ items }) => {
      const payload = items("event")[sent]?.payload as typeof event | undefined;
      return payload?.exception.values[0]?.stacktrace.frames[0];
    });
  }
  return frame;
}

/** Starts the delivery with these variables, and a service that behaves like this. */
async function startedWith(variables: Record<string, string>, behaviour: Behaviour = "ok") {
  const service: Service = await startService();
  await service.behave(behaviour);
  onTestFinished(() => service.close());
  const own = { DATA_DIR: temporaryFolder(), NODE_ENV: "production", SENTRY_DSN: service.dsn };
  for (const [name, value] of Object.entries({ ...own, ...variables })) vi.stubEnv(name, value);
  forgetProcess();
  const { relay } = await import("@/packages/sentry/src/server/relay");
  const { outbox } = relay();
  void relay().start();
  onTestFinished(() => relay().close());
  return { service, outbox, refusal: () => relay().refusal };
}

/** As if the process had just started, and read its configuration again. */
function forgetProcess(): void {
  vi.resetModules();
  const states = globalThis as unknown as Record<symbol, unknown>;
  for (const key of Object.getOwnPropertySymbols(states)) {
    if (key.description?.startsWith("signpost.")) delete states[key];
  }
}

test("without an upload, the service gets frames in the source", async () => {
  expect(await delivered(false, "")).toMatchObject({
    filename: "pages/a.tsx",
    context_line: "throw 1;",
  });
});

test.each([
  ["the build has uploaded its maps", true, ""],
  ["resolving is off", false, "off"],
])("where %s, the service gets frames untouched", async (_, uploaded, resolveStacks) => {
  expect(await delivered(uploaded, resolveStacks)).toEqual(reported);
});

test("a service that takes no feedback gets it as an event that it knows", async () => {
  const { service, outbox } = await startedWith({ FEEDBACK_AS_EVENT: "on" });
  const contexts = { feedback: { message: "I like it", contact_email: "ada@example.org" } };
  const given = { event_id: someEventId(), timestamp: 1, type: "feedback", contexts };
  await outbox.append(envelope([["feedback", given]]), "browser");
  const [sent] = await service.waitFor(({ envelopes }) => envelopes.length > 0 && envelopes);
  const [item] = sent?.items ?? [];
  expect(item).toMatchObject({
    header: { type: "event" },
    payload: { event_id: given.event_id, level: "info", message: "Feedback: I like it", contexts },
  });
});

test("a service that refuses the key is known before there is a report", async () => {
  const refused = { status: 403, body: '{"detail":"wrong key"}' };
  const { service, refusal } = await startedWith({}, { answers: [refused] });
  await expect.poll(refusal).toEqual({ status: 403, reason: "wrong key" });
  expect([service.questions.length, service.attempts.length]).toEqual([1, 0]);
});

test("the service is reached by the proxy that a variable names", async () => {
  const service = await startService();
  onTestFinished(() => service.close());
  const proxy = await startOutgoingProxy(Number(new URL(service.url).port));
  await startedWith({ SENTRY_DSN: "http://key@sentry.test/42", http_proxy: proxy.url });
  await service.waitFor(({ questions }) => questions.length === 1);
  expect(proxy.asked).toEqual(["POST http://sentry.test/api/42/envelope/"]);
});
