import type { Client } from "@sentry/core";
import Router from "next/router";
import { unusedOptions } from "../../shared/unused-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { callsOnClient, type Methods, queueError, started } from "./error-queue.ts";
import { watchPage } from "./watch-errors.ts";

// biome-ignore lint/suspicious/noExplicitAny: whatever is called
type Answer = ((args: any[]) => unknown) | undefined;

/**
 * Stands for the SDK's client, which it is once that is there. What is called on it waits, and one of these answers,
 * or nothing does: what was captured is not sent yet. An error waits in the queue.
 */
const client = /* @__PURE__ */ new Proxy<Record<PropertyKey, Answer>>(
  {
    getOptions: () => started.options,
    captureException: ([error, hint]) => queueError(error, undefined, { hint }),
    on: (args) => () => void args.pop(),
    flush: async () => false,
    close: async () => false,
  },
  {
    get(own, name) {
      // What has a `then` would be a promise.
      if (name === "then") return undefined;
      return (...args: unknown[]) => {
        if (started.client) return (started.client as unknown as Methods)[name]?.(...args);
        // A page may be open for days.
        if (!callsOnClient[99]) callsOnClient.push([name, args]);
        return own[name]?.(args);
      };
    },
  },
) as unknown as Client;

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
