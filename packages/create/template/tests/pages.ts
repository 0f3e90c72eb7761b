/** What the tests expect of a page, where it is not what they expect of every page. */
export interface ExpectedOfPage {
  /** An address of a dynamic page: without one, the tests don't visit it. */
  path?: string;
  /** What it answers to a visitor who is not signed in, where that is not 200. */
  status?: number;
  /** Whether it is shown only to who is signed in: tests/support/sign-in.ts signs in. */
  login?: true;
  /** What its scripts may weigh before it is shown, in bytes, gzipped: see scripts/first-load.ts. */
  budget?: number;
}

/** By the pattern of the page, as Next names it. No page has to be here. */
export const expected: Record<string, ExpectedOfPage> = {
  "/notes/[id]": { path: "/notes/welcome" },
};
