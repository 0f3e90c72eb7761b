import { type PageCase, page } from "../../../support/routes";

/** The placeholder pages that answer with 200, one URL each. */
export const placeholderPages: PageCase[] = [
  page("/", "static"),
  page("/static", "static"),
  page("/incremental/alpha", "incremental", "/incremental/[slug]", { slug: "alpha" }),
  page("/server", "server"),
  page("/dynamic/a-1", "server", "/dynamic/[id]", { id: "a-1" }),
  page("/catch-all/one/two", "server", "/catch-all/[...path]", { path: ["one", "two"] }),
  page("/optional", "static", "/optional/[[...path]]"),
  page("/slow", "server"),
  page("/failures", "static"),
  page("/failures/client-render", "static"),
  page("/failures/client-event", "static"),
  page("/failures/client-promise", "static"),
  page("/feedback", "static"),
];

/** More URLs of the patterns that leave something open. */
export const variations: PageCase[] = [
  page("/incremental/beta", "incremental", "/incremental/[slug]", { slug: "beta" }),
  page("/incremental/made-later", "incremental", "/incremental/[slug]", { slug: "made-later" }),
  page("/dynamic/A_z-9?tab=two&tab=three", "server", "/dynamic/[id]", { id: "A_z-9" }),
  page("/dynamic/a-1?id=b-2", "server", "/dynamic/[id]", { id: "a-1" }),
  page("/catch-all/one", "server", "/catch-all/[...path]", { path: ["one"] }),
  page("/catch-all/%C3%A4/a%20b/c%2Fd", "server", "/catch-all/[...path]", {
    path: ["ä", "a b", "c/d"],
  }),
  page("/optional/one/two?x=1", "static", "/optional/[[...path]]", { path: ["one", "two"] }),
  page("/static?q=a%26b", "static", "/static"),
  page("/slow?ms=0", "server", "/slow"),
];
