import { chromium } from "playwright";
import { findBrowser } from "../../support/browser.ts";
import { hostileEnvironments } from "../../support/hostile-environments.ts";
import { startService } from "../../support/service.ts";
import { serveApp, serviceHost } from "./apps.ts";

/** What still works of a page. */
export interface Outcome {
  /** Whether React has taken it over. */
  alive: boolean;
  /** Whether an error that nobody catches reaches the service. */
  reported: boolean;
}

/** In milliseconds: a page that is not there by then is dead, an error lost. */
const patience = 10_000;
const message = "on a hostile page";

/** @returns what works of a page of this app in each environment */
export async function inHostileEnvironments(folder: string): Promise<Record<string, Outcome>> {
  const service = await startService();
  await service.behave(() => ({ status: 200, headers: { "Access-Control-Allow-Origin": "*" } }));
  const app = await serveApp(folder, service.dsn);
  const browser = await chromium.launch({
    executablePath: findBrowser(),
    args: [`--host-resolver-rules=MAP ${serviceHost} ${new URL(service.url).host}`],
  });
  const count = () =>
    service.payloads<object>("event").filter((event) => JSON.stringify(event).includes(message))
      .length;
  const outcomes: Record<string, Outcome> = {};
  try {
    for (const [name, prepare] of Object.entries(hostileEnvironments)) {
      const before = count();
      const page = await browser.newPage();
      await page.addInitScript(prepare);
      await page.goto(`${app.origin}/browser/hostile`);
      const ready = page.getByText("Ready").waitFor({ timeout: patience });
      const alive = await ready.then(
        () => true,
        () => false,
      );
      await page.evaluate((text) => {
        setTimeout(() => {
          throw new Error(text);
        });
      }, message);
      const reported = await service
        .waitFor(() => count() > before, patience)
        .then(
          () => true,
          () => false,
        );
      outcomes[name] = { alive, reported };
      await page.close();
    }
  } finally {
    await browser.close();
    await app.stop();
    await service.close();
  }
  return outcomes;
}
