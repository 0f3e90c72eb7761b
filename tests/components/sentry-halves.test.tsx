import { render, screen } from "@testing-library/react";
import { Component, createContext, memo, type ReactNode } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { readEnvelope } from "@/lib/envelope/read-envelope";
import { reportKeys, reportStores } from "@/lib/reporting/browser/first-load/report-store";
import type { ClientOptions } from "@/lib/reporting/browser/sdk/client-options";
import type { ServerOptions } from "@/lib/reporting/server/options";
import * as Sentry from "@/lib/sentry";
import * as browser from "@/lib/sentry/browser";
import * as server from "@/lib/sentry/server";
import { completeEnvelope } from "@/lib/tunnel/complete-envelope";
import { reporting } from "@/tests/support/tunnels";

/** What has a meaning on a server alone. */
type ServerOnly = "captureCheckIn" | "withMonitor";

// Whoever compiles this knows that the types are the same.
browser satisfies Omit<typeof server, ServerOnly>;

test("the browser's half has the names of the server's", () => {
  const serverOnly = ["captureCheckIn", "withMonitor"] satisfies ServerOnly[];
  const names = Object.keys(server).filter((name) => !serverOnly.some((other) => other === name));
  expect(Object.keys(browser).sort()).toEqual(names.sort());
});

test("what Signpost decides is refused by the types of the options", () => {
  // @ts-expect-error SENTRY_DSN has it.
  ({ dsn: "https://key@o1.example/1" }) satisfies ClientOptions;
  // @ts-expect-error BROWSER_TRACES_SAMPLE_RATE has it.
  ({ tracesSampleRate: 1 }) satisfies ClientOptions;
  // @ts-expect-error SENTRY_ENVIRONMENT has it, and SENTRY_RELEASE the release.
  ({ environment: "test" }) satisfies ClientOptions;
  // @ts-expect-error Version 11 of the SDK has no such option.
  ({ enableLogs: true }) satisfies ClientOptions;
  // @ts-expect-error Version 11 of the SDK has no such option.
  ({ sendDefaultPii: true }) satisfies ServerOptions;
  // @ts-expect-error As in the browser.
  ({ dsn: "https://key@o1.example/1" }) satisfies ServerOptions;
  // @ts-expect-error SENTRY_TRACES_SAMPLE_RATE has it.
  ({ tracesSampleRate: 1 }) satisfies ServerOptions;
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

test("a span's callback runs without the SDK, and spans of a scope know their parent", async () => {
  const { startSpan, getActiveSpan } = browser;
  expect(startSpan({ name: "outer" }, () => getActiveSpan()?.isRecording())).toBe(true);
  expect(getActiveSpan()).toBeUndefined();
  await expect(
    startSpan({ name: "fails" }, () => Promise.reject(new Error("rejected"))),
  ).rejects.toThrow("rejected");
});

const sent: string[] = [];

beforeEach(() => {
  sent.length = 0;
  localStorage.clear();
  const sendBeacon = (_url: string, body: string) => sent.push(body) > 0;
  Object.assign(navigator, { sendBeacon });
  Object.assign(window, { __NEXT_DATA__: { page: "/server" } });
});

/** What the tunnel makes of an envelope, by item: whatever leaves without the SDK, it completes. */
function completed(envelope = "") {
  const read = readEnvelope(Buffer.from(envelope));
  if ("fault" in read) throw new Error(read.detail);
  const bytes = completeEnvelope(read, reporting);
  const whole = readEnvelope(Buffer.from(bytes ?? ""));
  if ("fault" in whole) throw new Error(whole.detail);
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

test("where a hundred logs and metrics wait, they leave at once", () => {
  for (let n = 0; n <= 100; n++) browser.logger.info(`log ${n}`);
  expect(sent).toHaveLength(1);
  const [logs] = completed(sent[0]);
  expect(logs.items).toHaveLength(100);
  browser.metrics.gauge("free", 3);
  dispatchEvent(new Event("pagehide"));
  const [rest, metrics] = completed(sent[1]);
  expect(rest.items).toMatchObject([{ body: "log 100" }]);
  expect(metrics.items).toMatchObject([{ name: "free", type: "gauge", value: 3 }]);
});

test("a log leaves without the attributes that can't be written, and without a user who can't", () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  browser.withScope((scope) => {
    scope.setUser({ id: 7n as unknown as string });
    browser.logger.info("with odd attributes", { circle, big: 7n, long: "x".repeat(15_000), n: 3 });
  });
  browser.metrics.count("odd", 2, { attributes: { circle, n: 4 } });
  dispatchEvent(new Event("pagehide"));
  const [logs, metrics] = completed(sent[0]);
  expect(logs.items).toMatchObject([{ body: "with odd attributes" }]);
  expect(metrics.items).toMatchObject([{ name: "odd", value: 2 }]);
  const attributes = [...logs.items, ...metrics.items].map((item) => item.attributes);
  for (const name of ["circle", "big", "long", "user.id"]) {
    for (const own of attributes) expect(own).not.toHaveProperty([name]);
  }
  expect(attributes).toMatchObject([{ n: { value: 3 } }, { n: { value: 4 } }]);
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
    { message: "after these" },
  ]);
  expect(events[0]).not.toHaveProperty("user");
});

test("where the browser has no beacons, what waits is stored for a later page", async () => {
  Object.assign(navigator, { sendBeacon: undefined });
  const ids = ["first", "second"].map((message) => browser.captureMessage(message));
  await browser.flush(1);
  const [store = {}] = reportStores();
  expect(
    reportKeys(store).map((key) => JSON.parse(store[key]?.split("\n")[0] ?? "")),
  ).toMatchObject(ids.map((event_id) => ({ event_id })));
});
