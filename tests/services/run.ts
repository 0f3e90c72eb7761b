/*
 * Sends everything that the app can report to real services, and checks what they make of it:
 *
 *   npm run services
 *
 * Fetches them from PyPI and npm into the folder for temporary files, once. What can't be had here is
 * skipped, and said.
 */
import { type Browser, chromium } from "playwright";
import { findBrowser } from "../support/browser.ts";
import { startService } from "../support/service.ts";
import { type App, buildApp, startApp } from "./app.ts";
import { checkAtBugsink } from "./at-bugsink.ts";
import { checkAtNormaliser } from "./at-normaliser.ts";
import { checkAtSpotlight } from "./at-spotlight.ts";
import { check, summary } from "./checks.ts";
import { reportsOf } from "./envelopes.ts";
import { expectedEvents, expectedNavigations } from "./expected.ts";
import { Unavailable } from "./installed.ts";
import { until } from "./processes.ts";
import { checkCounts, checkPrivacy, checkSpans } from "./reports.ts";
import { drive, type Shown } from "./scenario.ts";

const maxMinutes = 10;

const executablePath = findBrowser();
if (!executablePath) {
  console.log("Skipped: there is no Chromium. Install it with npx playwright install chromium.");
  process.exit(0);
}
setTimeout(() => {
  console.error(`Not done after ${maxMinutes} minutes.`);
  process.exit(1);
}, maxMinutes * 60_000).unref();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));

const browser = await chromium.launch({ executablePath });
const service = await startService();
try {
  const folder = await buildApp();
  const app = await startApp(folder, service.dsn);
  const shown = await record(app, browser).finally(app.stop);
  const taken = `${service.envelopes.length} envelopes, ${reportsOf(service, "event").length} events`;
  console.log(
    `\nThe app has sent ${taken} and ${reportsOf(service, "transaction").length} transactions.\n`,
  );
  checkCounts(service, shown);
  checkPrivacy(service);
  checkSpans(service);
  check("the server warns of nothing", app.output().match(/^.*Warning:.*$/gm) ?? []);
  await unlessUnavailable("Relay's normaliser", () => checkAtNormaliser(service));
  await unlessUnavailable("Spotlight", () => checkAtSpotlight(service));
  await unlessUnavailable("Bugsink", () => checkAtBugsink(service, browser, folder));
} finally {
  await browser.close();
  await service.close();
}
process.exit(summary());

/** Has the app report everything to the recorder, and waits until it has. */
async function record(app: App, browser: Browser): Promise<Shown> {
  const shown = await drive(browser, app.origin);
  const expected = Object.values(expectedEvents).reduce((sum, n) => sum + n);
  const navigations = () =>
    reportsOf(service, "transaction").filter(
      ({ contexts }) => contexts?.trace?.op === "navigation",
    );
  const arrived = () =>
    reportsOf(service, "event").length >= expected &&
    navigations().length >= expectedNavigations.length;
  await until("all has arrived", arrived, 30_000).catch(() => {});
  for (const context of browser.contexts()) await context.close();
  return shown;
}

async function unlessUnavailable(name: string, run: () => void | Promise<void>): Promise<void> {
  console.log(`\n${name}`);
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    console.log(`Skipped ${name}: ${error.message}.`);
  }
}
