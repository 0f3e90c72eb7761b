import { modes, pageOf, thrownThings } from "./scenario.ts";

/** How many error events there must be, by the path that they are about. */
export const expectedEvents: Record<string, number> = {
  "/failures/server-data": 1,
  "/failures/server-render": 1,
  "/services/thrown/text": 1,
  "/services/thrown/object": 1,
  "/services/thrown/null": 1,
  "/api/failure": 1,
  "/api/services/caught": 1,
  "/failures/client-event": 1,
  "/failures/client-promise": 1,
  "/failures/client-render": 1,
  "/services/caught": 1,
  ...Object.fromEntries(
    modes.flatMap((mode) =>
      [...thrownThings, "policy", "after-all/error"].map((thing) => [pageOf(mode, thing), 1]),
    ),
  ),
};

/** The requests and the page behind a click on a link to a failing page. */
export const clicked = /\/services\/clicked(\.json)?$|^\/failures$/;

/** Whether the number of a path's events is checked elsewhere. */
export function isCheckedElsewhere(path: string): boolean {
  return path === "/api/services/rejected" || clicked.test(path);
}

/** Whose load must be measured once. */
export const expectedLoads = [
  "/failures/client-event",
  "/failures/client-promise",
  "/failures/client-render",
  "/services/caught",
  "/incremental/alpha",
  "/dynamic/left-at-once",
  "/optional/one",
  ...modes.map((mode) => pageOf(mode, "first")),
];

/**
 * To which a visitor has gone by the router, while the SDK was there. Not the last one of all, which is
 * left before it is measured.
 */
export const expectedNavigations = [
  "/dynamic/navigated",
  ...[...thrownThings, "policy", "noise"].map((thing) => pageOf("sdk", thing)),
];

/** What the title of each thing has to say. */
export const saysWhat: Record<string, RegExp> = {
  error: /^Error: An error is thrown$/,
  text: /A text is thrown/,
  object: /\bcode\b|E_THROWN/,
  null: /\bnull\b/,
  "rejected-error": /^Error: An error is rejected$/,
  "rejected-text": /A text is rejected/,
  "rejected-object": /\bcode\b|E_REJECTED/,
  "rejected-null": /\bnull\b/,
  policy: /img-src blocked https:\/\/blocked\.example/,
};
