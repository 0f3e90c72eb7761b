import type { BrowserContext } from "playwright/test";
import type { App } from "./server";

/**
 * Signs the tests in, who then look at the pages that have `login` in tests/pages.ts. The app has none,
 * so this does nothing. docs/make-it-yours.md has an example.
 *
 * @param _context gets the session's cookies. Its `request` shares them with its pages
 * @param _app the build of the project as it is, running
 */
export async function signIn(_context: BrowserContext, _app: App): Promise<void> {}
