import type { PageMessages } from "./en";

export const pages: PageMessages = {
  routes: {
    "/": {
      title: "Willkommen",
      purpose: "Diese Seite gehört Ihnen. So fangen Sie an.",
    },
    "/notes": {
      title: "Notizen",
      purpose: "Ein Beispiel: eine Liste, ein Formular und eine API-Route, in Ihren Sprachen.",
    },
    "/notes/[id]": {
      title: "Notiz",
      purpose: "Eine Notiz, nach dem Parameter in ihrer Adresse.",
    },
  },
  home: {
    steps: {
      page: "Ändern Sie diese Seite in pages/index.tsx und ihre Texte in lib/messages/pages.",
      colours: "Farben, Schrift und Abstände stehen in components/tokens.css.",
      menu: "Das Menü steht in components/site-nav.tsx.",
    },
    example: "Ein Beispiel ansehen",
  },
  notes: {
    text: "Ihre Notiz",
    add: "Hinzufügen",
    remove: "Löschen",
    count: { one: "{count} Notiz", other: "{count} Notizen" },
    written: "Geschrieben am {date}",
  },
  form: {
    failed: "Es konnte gerade nicht gesendet werden. Bitte versuchen Sie es noch einmal.",
  },
};
