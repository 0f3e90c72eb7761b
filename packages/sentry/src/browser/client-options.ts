import type { BrowserOptions } from "@sentry/browser";
import type { NameOptions } from "../shared/privacy/private-names.ts";

/**
 * What `init` takes in the browser: Sentry's own options, and a few more. `dsn`, `tunnel` and `transport`
 * change nothing, because reports go to the app's own server.
 */
export type ClientOptions = BrowserOptions & NameOptions;
