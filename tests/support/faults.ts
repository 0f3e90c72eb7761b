import type { Page } from "playwright/test";

/** Collects what must not happen in a page, and lets a test say what happens on purpose. */
export class Faults {
  readonly #found: string[] = [];
  readonly #allowed: RegExp[] = [];

  /** Faults that match happen on purpose in this test. */
  allow(pattern: RegExp): void {
    this.#allowed.push(pattern);
  }

  /** What was found and not allowed. */
  list(): string[] {
    return this.#found.filter((fault) => !this.#allowed.some((pattern) => pattern.test(fault)));
  }

  /** Watches a page from before its first load. */
  async watch(page: Page): Promise<void> {
    page.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      this.#found.push(`console ${message.type()}: ${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => this.#found.push(`uncaught: ${error.stack ?? error.message}`));
    page.on("response", (response) => {
      if (response.status() < 500) return;
      this.#found.push(`answer ${response.status()} to ${response.url()}`);
    });
    // Of an error that is written to the console, Firefox gives the name alone.
    const writeOut = page.context().browser()?.browserType().name() === "firefox";
    await page.addInitScript((errorsAsText) => {
      const { error } = console;
      if (errorsAsText) {
        console.error = (...all) => error(...all.map((one) => (one?.stack ? `${one}` : one)));
      }
      document.addEventListener("securitypolicyviolation", (event) => {
        console.error(`policy violation: ${event.violatedDirective} ${event.blockedURI}`);
      });
    }, writeOut);
  }
}
