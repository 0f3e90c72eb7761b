import type { Texts } from "../format";

/**
 * The texts of the app's own pages in English, and by their shape the list of them: title and
 * purpose of each page under `routes`, everything else as you like.
 */
export const pages = {
  routes: {
    "/": {
      title: "Welcome",
      purpose: "This page is yours. Here is where to begin.",
    },
    "/notes": {
      title: "Notes",
      purpose: "An example: a list, a form and an API route, in your languages.",
    },
    "/notes/[id]": {
      title: "Note",
      purpose: "One note, by the parameter in its address.",
    },
  },
  home: {
    steps: {
      page: "Change this page in pages/index.tsx, and its texts in lib/messages/pages.",
      colours: "The colours, the type and the spacing are in components/tokens.css.",
      menu: "The menu is in components/site-nav.tsx.",
    },
    example: "See an example",
  },
  notes: {
    text: "Your note",
    add: "Add",
    remove: "Remove",
    count: { one: "{count} note", other: "{count} notes" },
    written: "Written on {date}",
  },
  form: {
    failed: "It could not be sent just now. Please try again.",
  },
};

export type PageMessages = Texts<typeof pages>;
