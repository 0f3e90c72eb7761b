import type { Page } from "playwright/test";

/** Collects what must not happen in a page, and lets a test say what happens on purpose. */
export class Faults {
  readonly #found: string[] = [];
  readonly #allowed: RegExp[] = [];
  #over = false;

  /** Faults that match happen on purpose in this test. */
  allow(pattern: RegExp): void {
    this.#allowed.push(pattern);
  }

  /** What was found and not allowed. */
  list(): string[] {
    return this.#found.filter((fault) => !this.#allowed.some((pattern) => pattern.test(fault)));
  }

  /** The test is over: what comes of closing its page, or of a server that ends, is no fault of the page. */
  end(): void {
    this.#over = true;
  }

  #add(fault: string): void {
    if (!this.#over) this.#found.push(fault);
  }

  /** Watches a page from before its first load. */
  async watch(page: Page): Promise<void> {
    page.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      this.#add(`console ${message.type()}: ${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => this.#add(`uncaught: ${error.stack ?? error.message}`));
    page.on("response", (response) => {
      if (response.status() < 500) return;
      this.#add(`answer ${response.status()} to ${response.url()}`);
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
