/** Where a snippet runs. The browser's two are before Sentry's SDK has come, and after. */
export const places = ["before", "after", "api", "data", "edge"] as const;
export type Place = (typeof places)[number];

export const browser = ["before", "after"] as const;
export const server = ["api", "data", "edge"] as const;
export const node = ["api", "data"] as const;

/** One use of one of Sentry's functions, the same in both apps. */
export interface Snippet {
  /** Unlike all others. */
  name: string;
  /** What it gives back, or throws, is compared, and so is all that arrives from it at the service. */
  run: () => unknown;
  /** Everywhere unless it says so: Sentry's names are not the same on all sides. */
  in?: readonly Place[];
  /**
   * It has a page of its own, and is the last on a server: it changes that for good, or waits for the SDK,
   * which snippets before the SDK wait for together.
   */
  alone?: true;
  differs?: Differs[];
}

/** A difference, and why it is there. */
export interface Differs {
  /** Where the snippet runs, unless it says so. */
  in?: readonly Place[];
  /** The facts that differ, by name: `gives`, `throws`, `message Hello · tags.side`. `*` stands for any text. */
  what: string;
  /** Why it is wanted. This sentence is in CALLS.md of the package. */
  why?: string;
  /** What is wrong, where it is not wanted. */
  fault?: string;
}

/** One reason of several differences. */
export const sdkTwice =
  "Under Turbopack, Sentry's SDK is there twice, as CommonJS and as ES modules. Here it is there once.";
