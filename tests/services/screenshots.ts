import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright";
import type { Bugsink } from "./bugsink.ts";
import type { Spotlight } from "./spotlight.ts";

/** Pictures of what a reader sees, for a reader: nothing is compared. */
export class Screenshots {
  #browser: Browser;
  #folder?: string;

  /** @param folder where they go; without it there are none */
  constructor(browser: Browser, folder?: string) {
    this.#browser = browser;
    this.#folder = folder;
    if (folder) mkdirSync(folder, { recursive: true });
  }

  /** The list of issues, and of three issues the latest event. */
  async ofBugsink({ url, login, events }: Bugsink): Promise<void> {
    await this.#with(async (page) => {
      await page.goto(`${url}/accounts/login/`);
      await page.locator("[name=username]").fill(login.user);
      await page.locator("[name=password]").fill(login.password);
      await page.locator("[name=password]").press("Enter");
      await page.waitForURL((at) => !at.pathname.includes("login"));
      await this.#take(page, `${url}/issues/1/`, "bugsink-list");
      const wanted = {
        server: /getServerSideProps/,
        browser: /event handler/,
        text: /A text is thrown$/,
      };
      for (const [name, title] of Object.entries(wanted)) {
        const issue = events(1).find((event) => title.test(event.title))?.issue;
        const dashed = issue?.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
        if (issue)
          await this.#take(page, `${url}/issues/issue/${dashed}/event/last/`, `bugsink-${name}`);
      }
    });
  }

  /** The lists of errors and of traces, and one of each. */
  async ofSpotlight({ url }: Spotlight): Promise<void> {
    await this.#with(async (page) => {
      for (const [list, wanted] of Object.entries({
        errors: /An error is thrown/,
        traces: /optional/,
      })) {
        const link = page.locator(`a[href*="/telemetry/${list}/"]`).filter({ hasText: wanted });
        await this.#take(page, `${url}/telemetry/${list}`, `spotlight-${list}`, link);
        const to = await link.first().getAttribute("href");
        const connected = page.getByText("Connected to Sidecar", { exact: true });
        await this.#take(page, new URL(to ?? "", url).href, `spotlight-${list}-one`, connected);
      }
    });
  }

  async #with(use: (page: Page) => Promise<void>): Promise<void> {
    if (!this.#folder) return;
    const page = await this.#browser.newPage({ viewport: { width: 1280, height: 1000 } });
    await use(page);
    await page.close();
  }

  /** @param shown what is there once the page is complete */
  async #take(page: Page, url: string, name: string, shown = page.locator("h1")): Promise<void> {
    await page.goto(url);
    await shown.first().waitFor();
    // Spotlight shows what it reads bit by bit.
    await page.waitForTimeout(3000);
    await page.screenshot({ path: join(this.#folder ?? "", `${name}.png`) });
  }
}
