import type { Pages } from "./en.ts";

export const pages: Pages = {
  "/": {
    title: "Willkommen",
    purpose: "Diese Seite gehört Ihnen. So fangen Sie an.",
    steps: {
      page: "Ändern Sie diese Seite in pages/index.tsx und ihre Texte in lib/messages.",
      colours: "Farben, Schrift und Abstände stehen in components/tokens.css.",
      menu: "Das Menü steht in components/site-nav.tsx.",
    },
    example: "Ein Beispiel ansehen",
  },
  "/notes": {
    title: "Notizen",
    purpose: "Ein Beispiel: eine Liste, ein Formular und eine API-Route, in Ihren Sprachen.",
    text: "Ihre Notiz",
    add: "Hinzufügen",
    count: { one: "{count} Notiz", other: "{count} Notizen" },
    failed: "Es konnte gerade nicht gesendet werden. Bitte versuchen Sie es noch einmal.",
  },
  "/notes/[id]": {
    title: "Notiz",
    purpose: "Eine Notiz, nach dem Parameter in ihrer Adresse.",
    remove: "Löschen",
    written: "Geschrieben am {date}",
    failed: "Es konnte gerade nicht gesendet werden. Bitte versuchen Sie es noch einmal.",
  },
};
