import { expect, test } from "../support/app";
import { throwInPage } from "../support/browser-reports";
import { linkTo, open } from "../support/navigation";
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

test("of fifty visits, five of which crash, the service gets fifty sessions, five of them crashed", {
  tag: "@verify",
}, async ({ browser, faults, launch, service }) => {
  faults.allow(/./);
  const app = await launch({
    SENTRY_DSN: service.dsn,
    SENTRY_RELEASE: "1.2.3",
    SENTRY_ENVIRONMENT: "staging",
    SENTRY_TRACES_SAMPLE_RATE: "0",
    BROWSER_TRACES_SAMPLE_RATE: "0",
  });
  const errors = () => service.items("event").length;
  for (let visit = 0; visit < 50; visit += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(app.url(visit % 2 ? "/static" : "/server"), { waitUntil: "domcontentloaded" });
    if (visit % 10 === 0) {
      const before = errors();
      await page.waitForLoadState();
      await throwInPage(page, `visit ${visit}`);
      await expect.poll(errors, { timeout: 20_000 }).toBeGreaterThan(before);
    }
    await context.close();
  }
  // What was counted goes at the end of the process, too.
  await app.stop();
  expect(sumOf(service)).toEqual({ exited: 45, errored: 0, crashed: 5 });
  for (const { attrs } of itemsOf(service)) {
    expect(attrs).toEqual({ release: "1.2.3", environment: "staging" });
  }
});

test("a visit is one session however many pages it has, a page that fails on the server is crashed, and a caught error only errored", async ({
  page,
  faults,
  launch,
  service,
}) => {
  faults.allow(/./);
  const app = await launch({ SENTRY_DSN: service.dsn, BROWSER_TRACES_SAMPLE_RATE: "0" });
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
    .poll(() => service.items("event").map(({ bytes }) => bytes.toString()), { timeout: 20_000 })
    .toContainEqual(expect.stringContaining('"caught"'));
  await app.stop();
  expect(sumOf(service)).toEqual({ exited: 1, errored: 1, crashed: 1 });
});
