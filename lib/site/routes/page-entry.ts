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
  /**
   * Whether requests for its data, and for that of the pages below it, are left out of
   * measurements.
   */
  excludeFromTracing?: boolean;
  /** What it answers to a visitor who is not signed in, where that is not 200. The tests ask for it. */
  status?: number;
  /** Whether it is shown only to who is signed in. The tests sign in with tests/support/sign-in.ts. */
  login?: true;
  /** What its scripts may weigh before it is shown, in bytes, gzipped, where the tests' own bound is too low. */
  budget?: number;
}
