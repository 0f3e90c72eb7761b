import { expect, test } from "../support/app";
import { itemsSent, throwInPage } from "../support/browser-reports";
import { linkTo, open } from "../support/navigation";
import { startProxy } from "../support/proxy";
import type { Service } from "../support/service";

interface Aggregates {
  attrs: { release: string; environment: string };
  aggregates: { started: string; exited: number; errored: number; crashed: number }[];
}

const itemsOf = (service: Service) => service.payloads<Aggregates>("sessions");

function sumOf(service: Service) {
  const sum = { exited: 0, errored: 0, crashed: 0 };
  for (const { aggregates } of itemsOf(service)) {
    for (const { exited, errored, crashed } of aggregates) {
      sum.exited += exited;
      sum.errored += errored;
      sum.crashed += crashed;
    }
  }
  return sum;
}

test("a visit is one session however many pages it has, a page that fails on the server or in the browser is crashed, and a caught error only errored", {
  tag: "@verify",
}, async ({ page, faults, launch, service }) => {
  faults.allow(/./);
  const app = await launch({
    SENTRY_DSN: service.dsn,
    SENTRY_RELEASE: "1.2.3",
    SENTRY_ENVIRONMENT: "staging",
    // Sessions are counted whether anything is measured or not.
    SENTRY_TRACES_SAMPLE_RATE: "0",
    BROWSER_TRACES_SAMPLE_RATE: "0",
  });
  await open(page, app.url("/"));
  for (const path of ["/static", "/server"]) {
    await linkTo(page, app.path(path)).click();
    await page.waitForURL(app.url(path));
  }
  await page.request.get(app.url("/api/failure"));
  await page.request.head(app.url("/server"));
  await page.goto(app.url("/failures/server-data"));
  await page.goto(app.url("/sentry"));
  await page.waitForFunction(() => "Sentry" in window);
  await page.evaluate(() => {
    const { Sentry } = window as unknown as { Sentry: { captureException(error: Error): string } };
    Sentry.captureException(new Error("caught"));
  });
  await expect
    .poll(() => service.items("event").map(({ bytes }) => bytes.toString()))
    .toContainEqual(expect.stringContaining('"caught"'));
  await page.goto(app.url("/static"));
  await throwInPage(page, "uncaught");
  await expect.poll(() => service.payloads("event").length).toBe(4);
  // What was counted goes at the end of the process, too.
  await app.stop();
  expect(sumOf(service)).toEqual({ exited: 1, errored: 1, crashed: 2 });
  for (const { attrs } of itemsOf(service)) {
    expect(attrs).toEqual({ release: "1.2.3", environment: "staging" });
  }
});

test("a page of another build keeps its release, with the SDK and without it, and crashes no session of this one", {
  tag: "@verify",
}, async ({ page, faults, launch, service }) => {
  faults.allow(/./);
  const app = await launch({
    SENTRY_DSN: service.dsn,
    SENTRY_RELEASE: "2.0",
    SENTRY_TRACES_SAMPLE_RATE: "0",
    BROWSER_TRACES_SAMPLE_RATE: "1",
  });
  const front = await startProxy(app.origin);
  front.treat(/\/static$/, async ({ req, res }) => {
    // By these a visitor's document counts as a session.
    const { accept, "user-agent": agent, "sec-fetch-dest": dest } = req.headers;
    const headers = { accept, "user-agent": agent, "sec-fetch-dest": dest } as HeadersInit;
    const response = await fetch(app.origin + req.url, { headers });
    const html = await response.text();
    res.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    res.end(html.replace(/"buildId":"[^"]+"/, '"buildId":"other-build"'));
  });
  const url = front.origin + app.path("/static");
  const releases = (events: { release: string }[]) => events.map(({ release }) => release);
  // Left before the SDK has loaded.
  await open(page, url);
  await page.goto("about:blank");
  const visits = () => releases(service.payloads("transaction"));
  await expect.poll(visits).toEqual(["other-build"]);
  await open(page, url);
  await throwInPage(page, "uncaught");
  // As the page sends it: the server would keep it for a minute, for one of its release.
  const errors = () => releases(itemsSent(front, "event"));
  await expect.poll(errors).toEqual(["other-build"]);
  await expect.poll(() => front.underWay(/\/api\/relay$/)).toBe(0);
  await front.stop();
  await app.stop();
  expect(sumOf(service)).toEqual({ exited: 2, errored: 0, crashed: 0 });
});
