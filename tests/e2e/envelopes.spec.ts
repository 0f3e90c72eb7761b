import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "../support/app";
import { addImage, type BrowserEvent, clickSlowly, throwInPage } from "../support/browser-reports";
import { faultsOf } from "../support/envelope-schema";
import { expectStages, linkTo, open } from "../support/navigation";
import { sdkScripts } from "../support/sdk-scripts";
import type { ReceivedItem } from "../support/service";

const preload = pathToFileURL(join(import.meta.dirname, "../support/crash-on-signal.mjs")).href;

const eventOf = ({ payload }: ReceivedItem) => payload as BrowserEvent & { level?: string };
const isOf = (type: string, item: ReceivedItem) => item.header.type === type;
const isBrowser = (item: ReceivedItem) => eventOf(item).platform === "javascript";
const mechanismOf = (item: ReceivedItem) =>
  eventOf(item).exception?.values.at(-1)?.mechanism.type ?? "";
const isError = (item: ReceivedItem) => isOf("event", item);
const isViolation = (item: ReceivedItem) => mechanismOf(item) === "signpost.policy";
const bySdk = (item: ReceivedItem) => eventOf(item).sdk?.name === "sentry.javascript.nextjs";
const hasOp = (op: string, item: ReceivedItem) =>
  isOf("transaction", item) && eventOf(item).contexts.trace.op === op;

/** Everything that the app sends to the service. */
const kinds: Record<string, (item: ReceivedItem) => boolean> = {
  "the browser's error": (item) =>
    isError(item) && isBrowser(item) && bySdk(item) && !isViolation(item),
  "the browser's error without the SDK": (item) =>
    isError(item) && isBrowser(item) && !bySdk(item) && !isViolation(item),
  "a policy violation": (item) => isError(item) && isViolation(item) && bySdk(item),
  "a policy violation without the SDK": (item) =>
    isError(item) && isViolation(item) && !bySdk(item),
  "a page load": (item) => hasOp("pageload", item) && bySdk(item),
  "a page load without the SDK": (item) => hasOp("pageload", item) && !bySdk(item),
  "a navigation": (item) => hasOp("navigation", item),
  "an interaction": (item) => hasOp("ui.interaction", item) || hasOp("ui.interaction.click", item),
  "the server's error": (item) =>
    isError(item) && !isBrowser(item) && eventOf(item).level !== "fatal",
  "a crash": (item) => isError(item) && eventOf(item).level === "fatal",
  "the sessions": (item) => isOf("sessions", item),
  "a request": (item) => hasOp("http.server", item),
  "what was dropped": (item) => isOf("client_report", item),
};

test("whatever the app sends to the service is as Sentry's protocol has it", {
  tag: "@verify",
}, async ({ faults, launch, page, variant, service }) => {
  faults.allow(/./);
  const env = { SENTRY_DSN: service.dsn, NODE_OPTIONS: `--import=${preload}` };
  const app = await launch(env);
  const items = () => service.envelopes.flatMap((one) => one.items);
  const arrived = (kind: string) =>
    expect
      .poll(() => items().filter((item) => kinds[kind]?.(item)).length, {
        message: kind,
      })
      .toBeGreaterThan(0);

  await test.step("a page where the SDK can't be had", async () => {
    const sdk = sdkScripts(variant);
    const isSdk = ({ pathname }: URL) => sdk.includes(basename(pathname));
    await page.route(isSdk, (route) => route.abort());
    await open(page, app.url("/static"));
    await addImage(page, "https://early.example/");
    await throwInPage(page, "without the SDK");
    await page.evaluate(() => void setTimeout(() => Promise.reject("a text")));
    // Playwright would hold the report of the visit back, and lose it with the page.
    await page.unroute(isSdk);
    await page.goto("about:blank");
    await arrived("a page load without the SDK");
    await arrived("the browser's error without the SDK");
    await arrived("a policy violation without the SDK");
  });

  await test.step("a page with the SDK", async () => {
    await open(page, app.url("/server"));
    await arrived("a page load");
    await clickSlowly(page);
    await linkTo(page, app.path("/static")).click();
    await expectStages(page, "start history complete");
    await arrived("a navigation");
    await addImage(page, "https://late.example/");
    await arrived("a policy violation");
    await throwInPage(page, "with the SDK");
    await page.evaluate(() => {
      setTimeout(() => Promise.reject("a text"));
      setTimeout(() => Promise.reject({ an: "object" }));
      for (let n = 0; n < 60; n++) {
        setTimeout(() => {
          throw new Error(`flood ${n}`);
        });
      }
    });
    await arrived("the browser's error");
    // All are through the SDK, which has dropped some.
    const floods = () => items().filter((item) => JSON.stringify(item.payload).includes("flood "));
    await expect.poll(() => floods().length).toBeGreaterThanOrEqual(20);
    // What can't outlive the page that is left is sent by the next one.
    await page.goto(app.url("/static"));
    await arrived("an interaction");
    await arrived("what was dropped");
  });

  await test.step("a server that fails", async () => {
    await page.goto(app.url("/failures/server-data"));
    await arrived("the server's error");
    await arrived("a request");
    app.signal("SIGUSR2");
    await app.exited;
    await launch({ ...env, DATA_DIR: app.dataDir });
    await arrived("a crash");
    await arrived("the sessions");
  });

  for (const { header, items: own } of service.envelopes) {
    for (const item of own) {
      const text = item.bytes.toString();
      expect(faultsOf(header, String(item.header.type), item.payload), text).toEqual([]);
      const known = Object.values(kinds).some((isOfKind) => isOfKind(item));
      expect(known, `is in the list: ${text}`).toBe(true);
    }
  }
});
