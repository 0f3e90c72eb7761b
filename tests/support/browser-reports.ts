import type { Page } from "playwright/test";
import { expect, type Front } from "./app";
import { drop, type Treatment } from "./proxy";

interface Exception {
  type: string;
  value: string;
  mechanism: { type: string; handled: boolean };
  stacktrace: { frames: { filename: string; function: string; lineno: number }[] };
}

/** The parts of an event that these tests look at. */
export interface BrowserEvent {
  type?: string;
  event_id: string;
  timestamp: number;
  platform?: string;
  start_timestamp: number;
  transaction: string;
  transaction_info?: { source: string };
  release: string;
  environment?: string;
  /** What left the browser without the SDK gets one from the tunnel. */
  sdk?: { name: string };
  tags?: Record<string, string>;
  fingerprint?: string[];
  exception: { values: Exception[] };
  /** What left the browser without the SDK has this in place of an exception. */
  thrown?: Exception;
  breadcrumbs?: { category: string; message?: string; data?: Record<string, unknown> }[];
  contexts: {
    trace: {
      op: string;
      trace_id: string;
      span_id: string;
      parent_span_id?: string;
      status?: string;
      data?: Record<string, unknown>;
    };
    browser?: { name: string };
    os?: { name: string };
  };
  measurements?: Record<string, { value: number }>;
  spans?: { op: string; description?: string; start_timestamp: number; timestamp: number }[];
}

/** What the page sent to the tunnel, as far as an item of it is of this type. */
export function itemsSent(front: Pick<Front, "seen">, type: string): BrowserEvent[] {
  const whole = front.seen(/\/api\/relay$/).filter(({ complete }) => complete);
  return whole.flatMap(({ body }) => {
    const [, ...lines] = body.split("\n").filter(Boolean);
    return lines.flatMap((line, i) =>
      i % 2 === 0 && JSON.parse(line).type === type ? [JSON.parse(lines[i + 1] ?? "{}")] : [],
    );
  });
}

/** Whatever is no performance measurement; without the SDK, with the exception that the tunnel makes of it. */
export function errorEventsSent(front: Front): BrowserEvent[] {
  return itemsSent(front, "event")
    .map(({ thrown, ...event }) => (thrown ? { ...event, exception: { values: [thrown] } } : event))
    .filter((event) => event.exception);
}

/**
 * What went wrong on the way to a page, or to a part of one, each once: if the hard navigation that follows
 * comes before the answer to the report, the next page sends it again, under the same id.
 */
export function failedNavigationsSent(front: Front): BrowserEvent[] {
  const failed = errorEventsSent(front).filter(
    ({ exception }) => exception.values.at(-1)?.mechanism.type === "signpost.navigation",
  );
  return [...new Map(failed.map((event) => [event.event_id, event])).values()];
}

/** The error events with this message. */
export function errorsSent(front: Front, message: string): BrowserEvent[] {
  return errorEventsSent(front).filter((event) => event.exception.values.at(-1)?.value === message);
}

/** Throws in the page, outside of everybody's hands. Returns once the error was thrown. */
export async function throwInPage(page: Page, message: string): Promise<void> {
  await page.evaluate(
    (text) =>
      new Promise<void>((thrown) => {
        setTimeout(() => {
          thrown();
          throw new Error(text);
        });
      }),
    message,
  );
}

/** Has the page show an image, which its policy may block. */
export function addImage(page: Page, src: string): Promise<void> {
  return page.evaluate((address) => {
    document.body.append(Object.assign(document.createElement("img"), { src: address }));
  }, src);
}

/** Clicks where the page takes long to answer, and waits until the browser has measured it. */
export async function clickSlowly(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.body.addEventListener("click", () => {
      const end = performance.now() + 200;
      while (performance.now() < end);
    });
  });
  await page.locator("h1").click();
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        new PerformanceObserver(() => resolve()).observe({ type: "first-input", buffered: true });
      }),
  );
}

/** Waits until the SDK has started, on so many pages by now: it reports each page load then. */
export async function untilReportingRuns(front: Pick<Front, "seen">, loads = 1): Promise<void> {
  const bySdk = () => itemsSent(front, "transaction").filter(({ sdk }) => sdk).length;
  await expect.poll(bySdk).toBeGreaterThanOrEqual(loads);
}

/** Treats all scripts that the page's HTML does not name, and so the SDK's. @returns what ends it */
export async function treatLateScripts(
  front: Front,
  path: string,
  treatment: Treatment = drop,
): Promise<() => void> {
  const html = await (await fetch(front.url(path))).text();
  return front.treat(/\/_next\/static\/chunks\/.*\.js/, (exchange) => {
    const file = exchange.req.url?.split("?")[0] ?? "";
    return html.includes(file) ? exchange.pass() : treatment(exchange);
  });
}
