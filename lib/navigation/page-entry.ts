/**
 * `static`: at build time; `incremental`: at build time or first request, then renewed; `server`: for
 * each request.
 */
export type Rendering = "static" | "incremental" | "server";

export interface PageEntry {
  rendering: Rendering;
  /**
   * Parameters of the link that the map shows for a dynamic page; a dynamic page without one is not
   * on the map.
   */
  example?: Record<string, string | readonly string[]>;
}

/** What the tests expect of a page, where it is not what they expect of every page. */
export interface ExpectedOfPage {
  /** What it answers to a visitor who is not signed in, where that is not 200. */
  status?: number;
  /** Whether it is shown only to who is signed in: tests/support/sign-in.ts signs in. */
  login?: true;
  /** What its scripts may weigh before it is shown, in bytes, gzipped: see scripts/first-load.ts. */
  budget?: number;
}
