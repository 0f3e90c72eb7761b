import {
  addEventProcessor,
  type BrowserClient,
  captureEvent,
  captureException,
  type ErrorEvent as Event,
  getClient,
  init,
} from "@sentry/browser";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import * as report from "@/packages/sentry/src/browser/first-load/error-queue";
import {
  captureReported,
  completeErrorEvents,
  limited,
} from "@/packages/sentry/src/browser/sdk/error-events";

/** What has come to the hook, and what was sent. */
const events: Event[] = [];
const sent: string[] = [];

beforeAll(() => {
  Object.assign(window, { __NEXT_DATA__: { page: "/server" } });
  init({
    dsn: "http://key@localhost/1",
    defaultIntegrations: false,
    beforeSend: limited((event) => {
      if (event.message === "unwanted") return null;
      events.push(event);
      return event;
    }),
    transport: () => ({
      async send(envelope) {
        sent.push(JSON.stringify(envelope));
        return {};
      },
      flush: async () => true,
    }),
  });
  completeErrorEvents(getClient() as BrowserClient);
});

beforeEach(() => {
  events.length = 0;
  sent.length = 0;
});

afterAll(() => getClient()?.close());

test("a replayed error's event has the page, time and id of when it happened", () => {
  const reference = "a".repeat(32);
  const url = "http://localhost:3000/dynamic/a";
  const error = new Error("early");
  const hint = { mechanism: { type: "signpost.navigation", handled: false } };
  captureReported({ error, hint, at: 1500, reference, route: "/dynamic/[id]", url });
  captureException(new Error("later"));
  expect(events).toMatchObject([
    { event_id: reference, timestamp: 1.5, transaction: "/dynamic/[id]", request: { url } },
    { transaction: "/server" },
  ]);
});

test("an error that is thrown twice makes one event, even if it is frozen", () => {
  const frozen = Object.freeze(new Error("frozen"));
  captureException(frozen);
  captureException(frozen);
  captureException("a text");
  captureException("a text");
  expect(events.map(({ exception }) => exception?.values?.[0]?.value)).toEqual([
    "frozen",
    "a text",
    "a text",
  ]);
});

test("an error that is thrown again makes one event, also while a processor of the app's works on the first", async () => {
  let work = () => {};
  addEventProcessor((event) =>
    event.exception?.values?.[0]?.value === "worked on"
      ? new Promise((resolve) => {
          work = () => resolve(event);
        })
      : event,
  );
  const error = new Error("worked on");
  const id = captureException(error);
  expect(report.queueError(error)).toBe(id);
  work();
  await vi.waitFor(() => expect(events.map(({ event_id }) => event_id)).toEqual([id]));
});

test("an event of the app's own keeps its words, whatever it was made of", () => {
  const hint = { originalException: new DOMException("blocked", "SecurityError") };
  const own = { exception: { values: [{ type: "Own", value: "words" }] } };
  const captured = { event: own };
  const moment = { at: 1500, url: location.href };
  captureReported({ ...moment, error: undefined, captured, hint, reference: "d".repeat(32) });
  expect(events).toMatchObject([own]);
});

test("what the team's hook drops leaves room for others", () => {
  for (let n = 0; n < 60; n++) captureEvent({ message: "unwanted" });
  captureEvent({ message: "wanted" });
  expect(events).toHaveLength(1);
  expect(sent).toHaveLength(1);
});

test("a hundred that are alike, but for numbers, leave room for the one that is not", () => {
  for (let n = 0; n < 100; n++) captureException(new Error(`poll ${n} failed`));
  captureException(new Error("broken"));
  expect(sent.filter((text) => text.includes("poll"))).toHaveLength(20);
  expect(sent.filter((text) => text.includes("broken"))).toHaveLength(1);
  expect(report.dropped).toBe(80);
});

test("messages in Sentry's newer form are alike or not by their words", () => {
  for (let n = 0; n < 100; n++) captureEvent({ logentry: { message: "alike" } });
  captureEvent({ logentry: { message: "another" } });
  expect(sent.filter((text) => text.includes("alike"))).toHaveLength(20);
  expect(sent.filter((text) => text.includes("another"))).toHaveLength(1);
});

test("what is no error has the words and the place that the browser's event tells", () => {
  const moment = { at: 1500, url: location.href };
  const on = "auto.browser.global_handlers.on";
  const rejection = Object.assign(new Event("unhandledrejection"), { reason: "a text" });
  const event = rejection as PromiseRejectionEvent;
  const hintOf = (type: string) => ({ mechanism: { type: on + type, handled: false } });
  const rejected = { hint: hintOf("unhandledrejection"), event };
  captureReported({ ...moment, ...rejected, error: "a text", reference: "b".repeat(32) });
  const place = { filename: "http://localhost/a.js", lineno: 3, colno: 14 };
  const thrown = new ErrorEvent("error", { ...place, message: "Uncaught", error: undefined });
  const heard = { hint: hintOf("error"), event: thrown };
  captureReported({ ...moment, ...heard, error: undefined, reference: "c".repeat(32) });
  const exceptions = events.map(({ exception }) => exception?.values?.at(-1));
  expect(exceptions).toMatchObject([
    {
      type: "UnhandledRejection",
      value: "Non-Error promise rejection captured with value: a text",
      mechanism: { type: "auto.browser.global_handlers.onunhandledrejection", handled: false },
    },
    { type: "Error", value: "Uncaught", stacktrace: { frames: [place] } },
  ]);
});
