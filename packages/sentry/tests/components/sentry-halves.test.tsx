import * as core from "@sentry/core";
import * as Sentry from "@signpost/sentry";
import { render, screen } from "@testing-library/react";
import { Component, createContext, memo, type ReactNode } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { readEnvelope } from "@/packages/relay/src/envelope/envelope";
import { enter, queueError, started } from "@/packages/sentry/src/browser/first-load/error-queue";
import { reportKeys } from "@/packages/sentry/src/browser/first-load/report-store";
import * as browser from "@/packages/sentry/src/index.browser";
import * as server from "@/packages/sentry/src/index.server";
import { completeEnvelope } from "@/packages/sentry/src/server/complete-envelope";
import { reporting } from "@/tests/support/tunnels";

test("what is the server's alone says so in the browser, and runs the callback", () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  expect(browser.withMonitor("nightly", () => "done")).toBe("done");
  expect(browser.captureCheckIn({ monitorSlug: "nightly", status: "ok" })).toBe("");
  expect(warned.mock.calls.flat().join()).toMatch(/withMonitor.*captureCheckIn/);
  warned.mockRestore();
});

test("Sentry's own dialog is refused by the type of the error boundary", () => {
  // @ts-expect-error It is a page of Sentry's own servers.
  expect(<Sentry.ErrorBoundary showDialog />).toBeTruthy();
});

test("withErrorBoundary is the boundary around a component, and its fallback is told the id of the event", () => {
  const silent = vi.spyOn(console, "error").mockImplementation(() => {});
  function Cart({ items }: { items: number }) {
    if (items < 0) throw new Error("below nothing");
    return <p>{items} items</p>;
  }
  const Guarded = browser.withErrorBoundary(Cart, {
    fallback: ({ eventId }) => <output>{eventId}</output>,
  });
  const { rerender } = render(<Guarded items={3} />);
  expect(screen.getByText("3 items")).toBeVisible();
  expect(Guarded.displayName).toBe("errorBoundary(Cart)");
  rerender(<Guarded items={-1} />);
  expect(screen.getByRole("status")).toHaveTextContent(browser.lastEventId() ?? "none");
  silent.mockRestore();
});

test("withErrorBoundary keeps what a page has besides, in both halves, and nothing of React's own", () => {
  const complaints = vi.spyOn(console, "error").mockImplementation(() => {});
  class Page extends Component<{ items?: number }> {
    static override contextType = createContext(3);
    static getLayout = (page: ReactNode) => <main>{page}</main>;
    static getDerivedStateFromProps = () => null;
    static getInitialProps(): object {
      return { items: 3 };
    }
    override state = {};
    override render() {
      return <p>{String(this.context)} in the context</p>;
    }
  }
  for (const half of [browser, server]) {
    const Guarded = half.withErrorBoundary(Page, {});
    const { getLayout, getInitialProps } = Guarded as unknown as typeof Page;
    expect(getInitialProps()).toEqual({ items: 3 });
    const { container, unmount } = render(getLayout(<Guarded />));
    expect(container.innerHTML).toBe("<main><p>3 in the context</p></main>");
    const Memo = half.withErrorBoundary(memo(Page), {});
    expect(render(<Memo />).container.innerHTML).toBe("<p>3 in the context</p>");
    unmount();
  }
  expect(complaints).not.toHaveBeenCalled();
  complaints.mockRestore();
});

test("an error that is captured twice is one event, under one id", () => {
  const error = new Error("twice");
  const id = browser.captureException(error);
  expect(browser.captureException(error, { tags: { more: "yes" } })).toBe(id);
  expect(browser.lastEventId()).toBe(id);
});

test("withScope ends with its callback, whether that returns, throws, resolves or rejects", async () => {
  const { withScope, getCurrentScope } = browser;
  const outside = getCurrentScope();
  expect(withScope(() => "returned")).toBe("returned");
  expect(() =>
    withScope(() => {
      throw new Error("thrown");
    }),
  ).toThrow("thrown");
  let resolve = (_: string) => {};
  const resolving = withScope(() => new Promise<string>((done) => (resolve = done)));
  expect(getCurrentScope()).not.toBe(outside);
  resolve("resolved");
  expect(await resolving).toBe("resolved");
  expect(getCurrentScope()).toBe(outside);
  await expect(withScope(() => Promise.reject(new Error("rejected")))).rejects.toThrow("rejected");
  expect(getCurrentScope()).toBe(outside);
});

test("a span can be used without the SDK, and tells what it was given", async () => {
  const { startSpan, startSpanManual, startInactiveSpan, getActiveSpan } = browser;
  const options = { name: "outer", op: "mine", attributes: { cart: "full" } };
  const outer = startSpan(options, (span) => {
    span.setAttribute("items", 3).setAttributes({ paid: true }).setStatus({ code: 1 });
    span.addEvent("none").addLinks([]).recordException(new Error("none"));
    expect([getActiveSpan(), span.isRecording()]).toEqual([span, true]);
    startSpan({ name: "inner" }, (inner) =>
      expect(core.spanToJSON(inner).parent_span_id).toBe(span.spanContext().spanId),
    );
    return span;
  });
  expect(getActiveSpan()).toBeUndefined();
  const attributes = { "sentry.op": "mine", "sentry.origin": "manual", cart: "full", items: 3 };
  expect(core.spanToJSON(outer)).toMatchObject({ name: "outer", status: "ok", attributes });
  expect(core.spanToStaticSpanJSON(outer)).toMatchObject({ op: "mine", data: { paid: true } });
  let failed: core.Span | undefined;
  await expect(
    startSpan({ name: "fails" }, (span) => {
      failed = span;
      return Promise.reject(new Error("rejected"));
    }),
  ).rejects.toThrow("rejected");
  expect(core.spanToJSON(failed as core.Span)).toMatchObject({ status: "error" });
  const manual = startSpanManual({ name: "manual" }, (span) => span);
  expect(manual.isRecording()).toBe(true);
  manual.updateName("renamed").end();
  manual.end();
  expect(manual.isRecording()).toBe(false);
  const timed = startInactiveSpan({ name: "timed", startTime: new Date(1e12) });
  timed.end(1e9 + 1);
  expect(core.spanToJSON(timed)).toMatchObject({ start_timestamp: 1e9, end_timestamp: 1e9 + 1 });
});

test("spans that run at once and end in any order leave no active one", async () => {
  const ends: (() => void)[] = [];
  const spans = ["first", "second"].map((name) =>
    browser.startSpan({ name }, () => new Promise<void>((resolve) => ends.push(resolve))),
  );
  for (const [n, end] of ends.entries()) {
    end();
    await spans[n];
  }
  expect(browser.getActiveSpan()).toBeUndefined();
});

const sent: string[] = [];

beforeEach(() => {
  sent.length = 0;
  localStorage.clear();
  const sendBeacon = (_url: string, body: string) => sent.push(body) > 0;
  Object.assign(navigator, { sendBeacon });
  Object.assign(window, { __NEXT_DATA__: { page: "/server" } });
  // As `init` does, which would bring the SDK.
  started.options = {};
});

/** What the tunnel makes of an envelope, by item: whatever leaves without the SDK, it completes. */
function completed(envelope = "") {
  const read = readEnvelope(Buffer.from(envelope));
  if ("fault" in read) throw new Error(read.detail);
  const whole = completeEnvelope(read, reporting);
  if (typeof whole !== "object") throw new Error(`Expected an envelope, got ${whole}`);
  return whole.items.map(({ payload }) => JSON.parse(Buffer.from(payload).toString()));
}

test("what has no room in the smallest form is left out, and the rest arrives", async () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  browser.captureMessage("large", {
    extra: { large: "x".repeat(9000), cycle, small: 1 },
    tags: Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`tag${n}`, "x".repeat(20)])),
  });
  await browser.flush(1);
  const [event] = completed(sent.at(-1));
  expect(event.extra).toEqual({ small: 1 });
  expect(event.tags).toHaveProperty("tag0");
  expect(sent.at(-1)?.length).toBeLessThan(20_000);
});

test("logs and metrics bring the SDK, and nothing of them leaves with a page that is left before", () => {
  const bring = vi.fn();
  enter("loading", bring);
  browser.logger.info("a log");
  expect(bring).toHaveBeenCalledTimes(1);
  browser.metrics.count("a metric");
  expect(bring).toHaveBeenCalledTimes(2);
  enter("loading", () => {});
  dispatchEvent(new Event("pagehide"));
  expect(sent).toEqual([]);
});

test("flush without the SDK sends what waits, and is done at once where nothing does", async () => {
  const id = browser.captureMessage("to be flushed");
  expect(await browser.flush(10)).toBe(true);
  expect(sent.filter((body) => body.includes(id))).toHaveLength(1);
  expect(await browser.flush(60_000)).toBe(true);
});
test("what can't be written is left out, and takes no other report along", async () => {
  browser.withScope((scope) => {
    scope.setUser({ id: 7n as unknown as string });
    browser.captureMessage("of a user who can't be written", { tags: { area: "cart" } });
  });
  const mechanism = { type: "own", data: { large: 7n as unknown as string } };
  browser.captureException(new Error("with a mechanism that can't be written"), { mechanism });
  browser.captureMessage("after these");
  await browser.flush(1);
  const events = sent.map((envelope) => completed(envelope)[0]);
  expect(events).toMatchObject([
    { message: "of a user who can't be written", tags: { area: "cart" } },
    { exception: { values: [{ value: "with a mechanism that can't be written" }] } },
    { message: "after these", level: "info" },
  ]);
  expect(events[0]).not.toHaveProperty("user");
});

test("what Signpost itself reports has its fingerprint in a page with Sentry's functions", async () => {
  const violation = Object.assign(new Error("img-src blocked x"), { name: "CSPViolation" });
  queueError(violation, { type: "signpost.policy", handled: false });
  await browser.flush(1);
  expect(completed(sent.at(-1))).toMatchObject([{ fingerprint: ["CSPViolation", "img-src", "x"] }]);
});

/** The event of what is captured, as it leaves without the SDK. */
async function eventOf(capture: () => unknown) {
  browser.getIsolationScope().setUser(null);
  await browser.flush(1);
  sent.length = 0;
  capture();
  await browser.flush(1);
  return completed(sent.at(-1))[0];
}

test("without the SDK, user, fingerprint and breadcrumbs are merged as it merges them", async () => {
  const { captureEvent, captureException, withScope, setUser } = browser;
  const event = { message: "m", user: { id: "own" }, breadcrumbs: [{ message: "own" }] };
  expect(await eventOf(() => captureEvent(event))).toMatchObject({ user: { id: "own" } });
  const merged = await eventOf(() => {
    setUser({ id: "page's" });
    withScope((scope) => {
      scope
        .setUser({ plan: "x" })
        .setFingerprint(["scope's"])
        .addBreadcrumb({ message: "scope's" });
      captureEvent({ ...event, user: { plan: "y" }, fingerprint: ["own"] });
    });
  });
  expect(merged).toMatchObject({ user: { id: "page's" }, fingerprint: ["own", "scope's"] });
  const crumbs: { message: string }[] = merged.breadcrumbs;
  const messages = crumbs.map(({ message }) => message);
  expect(messages.filter((one) => /own|scope's/.test(one))).toEqual(["own", "scope's"]);
  const zero = await eventOf(() => {
    setUser({ id: 0 });
    captureException(new Error("of the first user"));
  });
  expect(zero).toMatchObject({ user: { id: 0 } });
});

test("without the SDK, an event has the level of its scope, else its own, else none of ours", async () => {
  const { captureEvent, captureMessage, withScope } = browser;
  const exception = { values: [{ type: "E", value: "v" }] };
  expect(await eventOf(() => captureEvent({ exception }))).toMatchObject({ level: "error" });
  expect(await eventOf(() => captureMessage("m"))).toMatchObject({ level: "info" });
  const scoped = await eventOf(() =>
    withScope((scope) => {
      scope.setLevel("fatal");
      captureEvent({ exception, level: "debug" });
    }),
  );
  expect(scoped).toMatchObject({ level: "fatal" });
});

test("what an event has of its own comes first where there is little room", async () => {
  const text = "x".repeat(3000);
  const event = await eventOf(() =>
    browser.withScope((scope) => {
      scope.setContext("scope's", { text }).setTag("scope's", text).setExtra("scope's", text);
      browser.captureFeedback({ message: text, tags: { own: text } });
      browser.captureEvent({ message: "m", contexts: { own: { text } }, extra: { own: text } });
    }),
  );
  expect(event.extra).toHaveProperty("own");
  expect(event.contexts).toHaveProperty("own");
  const [feedback] = completed(sent.at(-2));
  expect(feedback.contexts.feedback.message).toBe(text);
  expect(feedback.tags).toHaveProperty("own");
});

test("a context of the name flags costs no report, and leaves with it", async () => {
  browser.setContext("flags", { beta: true });
  const event = await eventOf(() => browser.captureMessage("of a beta"));
  expect(event.contexts.flags).toEqual({ beta: true });
  expect(() => browser.logger.info("a log")).not.toThrow();
  queueError(new Error("that nobody catches"));
  await browser.flush(1);
  expect(completed(sent.at(-1))[0].contexts.flags).toEqual({ beta: true });
  browser.setContext("flags", { values: [{ flag: "a", result: true }] });
  queueError(new Error("another"));
  await browser.flush(1);
  expect(completed(sent.at(-1))[0].contexts.flags.values).toHaveLength(1);
  browser.setContext("flags", null);
});

test("a captureContext that throws costs what it would have added, no report", async () => {
  const throws = () => {
    throw new Error("in a function of the app's");
  };
  const event = await eventOf(() => browser.captureException(new Error("kept"), throws));
  expect(event.exception.values).toMatchObject([{ value: "kept" }]);
});

test("feedback leaves the last event's id as it is", () => {
  const id = browser.captureMessage("an event");
  browser.captureFeedback({ message: "no event" });
  expect(browser.lastEventId()).toBe(id);
});

test("what a package imports from @sentry/core captures by these functions, and throws in no other", async () => {
  const event = await eventOf(() => core.captureMessage("of a package"));
  expect(event).toMatchObject({ message: "of a package" });
  core.logger.info("a log");
  core.metrics.count("a metric");
  core.startSession();
  core.captureSession();
  expect(core.isEnabled()).toBe(false);
  expect(core.getTraceData()).toEqual({});
  expect(core.startSpan({ name: "a span" }, () => "done")).toBe("done");
  const client = core.getClient();
  expect(client?.getIntegrationByName("Replay")).toBeUndefined();
  expect(await client).toBe(client);
});

test("where the browser has no beacons, what waits is stored for a later page", async () => {
  Object.assign(navigator, { sendBeacon: undefined });
  const ids = ["first", "second"].map((message) => browser.captureMessage(message));
  await browser.flush(1);
  expect(
    reportKeys().map((key) => JSON.parse(localStorage[key]?.split("\n")[0] ?? "")),
  ).toMatchObject(ids.map((event_id) => ({ event_id })));
});
