import type { BrowserContext } from "playwright/test";

/**
 * Signs the tests in, who then look at the pages that have `login` in tests/pages.ts. The app has none,
 * so this does nothing. docs/make-it-yours.md has an example.
 *
 * @param _context gets the session's cookies. Its `request` shares them with its pages
 * @param _url the whole URL of a path, in the running app
 */
export async function signIn(_context: BrowserContext, _url: (path: string) => string) {}
