import type { Messages } from "./en";
import { pages } from "./pages/de";
import { productName } from "./product-name";

const { routes, ...groups } = pages;

export const de: Messages = {
  shell: {
    skip: "Zum Inhalt springen",
    home: `${productName}, Startseite`,
    routes: "Alle Routen",
    languages: "Sprache",
    lastNavigation: "Letzter Seitenwechsel",
    about: `Eine Seite von ${productName}.`,
    loading: "Seite wird geladen",
  },
  facts: {
    heading: "Angaben zur Route",
    pattern: "Muster",
    path: "Pfad",
    params: "Parameter",
    locale: "Sprache",
    rendering: "Erzeugung",
    "rendered-at": "Erzeugt am",
  },
  rendering: {
    static: "Einmal erzeugt, beim Bauen der App.",
    incremental: "Im Voraus erzeugt und bei Bedarf einmal je Minute erneuert.",
    server: "Für jede Anfrage auf dem Server erzeugt.",
  },
  routes: {
    "/feedback": {
      title: "Rückmeldung",
      purpose: "Sagen Sie dem Team, was Sie denken. Geht mit und ohne JavaScript.",
    },
    "/reports": {
      title: "Berichte",
      purpose: "Fehler, Messungen und Rückmeldungen, wie sie eingegangen sind.",
    },
    "/reports/[group]": {
      title: "Ein Fehler",
      purpose: "Ein Fehler mit Stack, Vorgeschichte und jedem Auftreten.",
    },
    ...routes,
  },
  errors: {
    applicationError: "Anwendungsfehler",
    server: "Auf dem Server ist beim Erzeugen dieser Seite etwas fehlgeschlagen.",
    browser: "In Ihrem Browser ist beim Anzeigen dieser Seite etwas fehlgeschlagen.",
    advice: "Es wurde gemeldet. Sie können es noch einmal versuchen oder zum Anfang gehen.",
    tryAgain: "Noch einmal versuchen",
    home: "Zum Anfang",
    reference: "Kennung",
    copy: "Kopieren",
    copied: "Kennung kopiert",
    copyFailed: "Das Kopieren geht hier nicht. Bitte von Hand auswählen.",
    notFound: "Seite nicht gefunden",
    notFoundAt: "Hier gibt es nichts:",
    notFoundAdvice: "Vielleicht ist die Adresse vertippt, oder die Seite ist umgezogen.",
    badRequest: "Diese Adresse ist nicht lesbar",
    badRequestAdvice: "Prüfen Sie die Adresse, oder beginnen Sie auf der Startseite.",
    tell: "Dem Team schreiben",
  },
  feedback: {
    heading: "Was ist passiert?",
    message: "Ihre Nachricht",
    name: "Name (freiwillig)",
    email: "E-Mail (freiwillig)",
    send: "Senden",
    sending: "Wird gesendet…",
    thanks: "Danke. Ihre Nachricht ist angekommen.",
    again: "Noch eine schreiben",
    summary: "Ihre Nachricht kann noch nicht gesendet werden:",
    messageRequired: "Schreiben Sie eine Nachricht.",
    messageTooLong: "Die Nachricht darf höchstens 4.000 Zeichen haben.",
    nameTooLong: "Der Name darf höchstens 100 Zeichen haben.",
    emailWrong: "Geben Sie eine E-Mail-Adresse wie name@example.com ein, oder lassen Sie sie weg.",
    failed: "Sie konnte gerade nicht gesendet werden. Ihr Text ist noch da: bitte noch einmal.",
    tooMany: "Zu viele Nachrichten von Ihrer Adresse. Bitte in einer Minute noch einmal.",
    busy: "Es wird gerade zu viel gesendet. Gehen Sie zurück zu Ihrem Text, und senden Sie ihn in einer Minute.",
    referenceWrong: "Die Kennung ist keine von uns. Laden Sie die Seite neu.",
    tooLarge: "Die Nachricht ist zu groß.",
    otherSite: "Das Formular kam von einer anderen Website und wurde nicht angenommen.",
    unreadable: "Das Formular war nicht lesbar. Bitte senden Sie es von dieser Seite.",
    leaveEmpty: "Dieses Feld leer lassen",
    note: "Ihre Nachricht geht mit der Kennung an das Team. Eine Adresse brauchen wir nur, wenn Sie eine Antwort möchten.",
  },
  ...groups,
};
