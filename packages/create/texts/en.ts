import type { Texts } from "../../../lib/messages/texts.ts";

/** What takes the place of the placeholders' texts: build.js puts it into lib/messages/en.ts. */
export const pages = {
  "/": {
    title: "Welcome",
    purpose: "This page is yours. Here is where to begin.",
    steps: {
      page: "Change this page in pages/index.tsx, and its texts in lib/messages.",
      colours: "The colours, the type and the spacing are in components/tokens.css.",
      menu: "The menu is in components/site-nav.tsx.",
    },
    example: "See an example",
  },
  "/notes": {
    title: "Notes",
    purpose: "An example: a list, a form and an API route, in your languages.",
    text: "Your note",
    add: "Add",
    count: { one: "{count} note", other: "{count} notes" },
    failed: "It could not be sent just now. Please try again.",
  },
  "/notes/[id]": {
    title: "Note",
    purpose: "One note, by the parameter in its address.",
    remove: "Remove",
    written: "Written on {date}",
    failed: "It could not be sent just now. Please try again.",
  },
};

/** The shape of other languages. */
export type Pages = Texts<typeof pages>;
