import type { Page } from "playwright/test";
import { expect, test } from "../support/app";
import type { BrowserEvent } from "../support/browser-reports";
import { open } from "../support/navigation";
import { blockSdk, holdSdk } from "../support/sdk-scripts";
import type { App } from "../support/server";
import type { Service } from "../support/service";
import { startStranger } from "../support/stranger";

const errors = ["SentryExampleAPIError", "SentryExampleFrontendError"];

/** The traces of all that has arrived, but for the server's own of a document that is static. */
function traces(service: Service): Set<string> {
  const all = ["event", "transaction"].flatMap((type) => service.payloads<BrowserEvent>(type));
  const others = all.filter((event) => event.transaction !== "GET /sentry-example-page");
  return new Set(others.map(({ contexts }) => contexts.trace.trace_id));
}

const transaction = (service: Service, name: string) =>
  service.payloads<BrowserEvent>("transaction").find((event) => event.transaction === name);

/** Both errors of Sentry's example page. */
function errorsOf(service: Service): BrowserEvent[] {
  return service
    .payloads<BrowserEvent>("event")
    .filter(({ exception }) => errors.includes(exception.values.at(-1)?.type ?? ""));
}

async function fail(page: Page, service: Service) {
  await page.getByRole("button", { name: "Throw Sample Error" }).click();
  await expect(page.getByRole("status")).toBeVisible();
  return () => service.waitFor((s) => errorsOf(s).length === 2);
}

/** Once the SDK has sent the page load, it is there. */
async function openWithSdk(page: Page, app: App, service: Service, path: string) {
  await open(page, app.url(path));
  await service.waitFor((s) => transaction(s, path));
}

test.describe("Sentry's example page: a click's span, its request and the errors of both halves are one trace", () => {
  test.beforeEach(({ faults }) => faults.allow(/./));

  test("before the SDK", async ({ page, launch, service, variant }) => {
    const app = await launch({ SENTRY_DSN: service.dsn });
    const release = await holdSdk(page, variant);
    await open(page, app.url("/sentry-example-page"));
    const arrived = await fail(page, service);
    release();
    await arrived();
    await service.waitFor((s) => transaction(s, "/sentry-example-page"));
    const load = transaction(service, "/sentry-example-page");
    expect(load?.spans?.map(({ description }) => description)).toEqual(
      expect.arrayContaining(["Example of both halves", "GET /api/sentry-example-api"]),
    );
    await service.waitFor((s) => transaction(s, "GET /api/sentry-example-api"));
    expect(traces(service)).toEqual(new Set([load?.contexts.trace.trace_id]));
  });

  test("with the SDK", async ({ page, launch, service }) => {
    const app = await launch({ SENTRY_DSN: service.dsn });
    await openWithSdk(page, app, service, "/sentry-example-page");
    await (await fail(page, service))();
    const click = await service.waitFor((s) => transaction(s, "Example of both halves"));
    const served = await service.waitFor((s) => transaction(s, "GET /api/sentry-example-api"));
    expect(click.spans).toEqual([
      expect.objectContaining({
        op: "http.client",
        span_id: served.contexts.trace.parent_span_id,
      }),
    ]);
    expect(traces(service)).toEqual(new Set([click.contexts.trace.trace_id]));
  });
});

test.describe("a download of the app's own that is redirected to another origin, which refuses the headers of a trace, is there", () => {
  // The app's policy allows no other origin.
  test.use({ bypassCSP: true });

  for (const withSdk of [false, true]) {
    test(
      withSdk ? "with the SDK" : "before the SDK",
      async ({ page, launch, service, variant, faults }) => {
        // Of the request that the browser refuses.
        faults.allow(/CORS|ERR_FAILED|BLOCKED/);
        const [app, storage] = await Promise.all([
          launch({ SENTRY_DSN: service.dsn }),
          startStranger(),
        ]);
        if (withSdk) await openWithSdk(page, app, service, "/static");
        else {
          await blockSdk(page, variant);
          await open(page, app.url("/static"));
        }
        const url = `/api/elsewhere?to=${storage.origin}/file.svg`;
        const asked: string[] = [];
        page.on("request", (request) => {
          if (request.url().includes("/api/elsewhere")) asked.push(request.method());
        });
        const got = await page.evaluate(async (address) => (await fetch(address)).text(), url);
        expect(got).toContain("<svg");
        expect(asked).toEqual(["GET", "GET"]);
        // One that can't be asked again has no such headers.
        const byXhr = await page.evaluate(
          (address) =>
            new Promise((resolve) => {
              const request = new XMLHttpRequest();
              request.onloadend = () => resolve(request.responseText);
              request.open("GET", address);
              request.send();
            }),
          url,
        );
        expect(byXhr).toContain("<svg");
        expect(asked).toHaveLength(3);
        expect(storage.asked.filter((line) => line.startsWith("GET"))).toEqual([
          "GET /file.svg",
          "GET /file.svg",
        ]);
        await storage.stop();
      },
    );
  }
});
