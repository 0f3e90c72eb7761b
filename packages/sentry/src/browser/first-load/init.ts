import type { Client } from "@sentry/core";
import Router from "next/router";
import { unusedOptions } from "../../shared/unused-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { started } from "./error-queue.ts";
import { watchPage } from "./watch-errors.ts";

type Methods = Record<PropertyKey, ((...args: unknown[]) => unknown) | undefined>;

/** Stands for the SDK's client, which it is once that is there. What is called on it waits. */
const client = /* @__PURE__ */ new Proxy(started.calls, {
  get(calls, name) {
    // What has a `then` would be a promise.
    if (name === "then") return undefined;
    return (...args: unknown[]) => {
      const present = started.client as Methods | undefined;
      if (present) return present[name]?.(...args);
      // A page may be open for days.
      if (!calls[99]) calls.push([name, args]);
      return name === "getOptions" ? started.options : undefined;
    };
  },
}) as unknown as Client;

/**
 * Starts the reporting in the browser: what fails is heard from now on, and the visit is measured.
 * Sentry's SDK comes later, with these options. Only the first call counts.
 *
 * @returns the SDK's client, or what stands for it
 */
export function init(options: ClientOptions = {}): Client {
  // biome-ignore lint/style/noProcessEnv: the bundler puts it in, and leaves this out of production
  if (process.env.NODE_ENV !== "production") {
    const names = ["dsn", "tunnel", "transport", "sendDefaultPii", "dataCollection"];
    const sentences = started.options
      ? ["Sentry.init: only the first call on a page counts, and this is another one."]
      : unusedOptions(options, names);
    // biome-ignore lint/suspicious/noConsole: said to whoever writes the options
    for (const sentence of sentences) console.info(sentence);
  }
  if (started.options) return client;
  started.options = options;
  // Here, because nothing that the SDK's part reaches may import it: navigation.ts.
  watchPage(options, Router);
  return client;
}
