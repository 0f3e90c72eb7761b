import type { Messages } from "./en.ts";
import { productName } from "./product-name.ts";

export const messages: Messages = {
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
    thanks: "Danke für Ihre Nachricht.",
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
  pages: {
    "/": {
      title: "Alle Wege auf einer Karte",
      purpose:
        "Je eine Seite jeder Art, die der Router kennt. Folgen Sie einem Schild, kehren Sie zurück, und sehen Sie, welche Route gegriffen hat und wie die Seite erzeugt wurde.",
      ways: "Wege",
      failures: "Absichtliche Fehler",
      more: "Berichte und Rückmeldung",
      reports: "Der Posteingang",
      reportsPurpose:
        "Zeigt die Berichte, die kein Dienst bekommt. Öffnet sich mit dem Token, das der Server ausgibt.",
      api: "API",
      apiEcho: "Antwortet mit Methode, Pfad und Abfrage als JSON. Die Seite wird ganz geladen.",
    },
    "/static": {
      title: "Statische Seite",
      purpose: "Beim Bauen erzeugt, mit Daten aus getStaticProps.",
    },
    "/incremental/[slug]": {
      title: "Inkrementelle Seite",
      purpose:
        "Beim ersten Aufruf erzeugt, dann aufbewahrt und alle 60 Sekunden erneuert. Jeder Name geht; alpha und beta gibt es schon vom Bauen.",
      otherSlugs: "Andere Namen",
      preparing: "Diese Seite wird zum ersten Mal erzeugt. Sie ist gleich da.",
    },
    "/server": {
      title: "Server-Seite",
      purpose: "Für jede Anfrage von getServerSideProps erzeugt.",
    },
    "/dynamic/[id]": {
      title: "Dynamisches Segment",
      purpose: "Ein Teil der Adresse ist ein Parameter und wird vor dem Erzeugen geprüft.",
      otherPaths: "Andere Pfade",
    },
    "/catch-all/[...path]": {
      title: "Sammelroute",
      purpose: "Nimmt ein oder mehr Segmente, alle davon Parameter.",
      otherPaths: "Andere Pfade",
    },
    "/optional/[[...path]]": {
      title: "Optionale Sammelroute",
      purpose:
        "Nimmt beliebig viele Segmente, auch keines. Sie wird vorab ohne sie erzeugt; der Router ergänzt sie im Browser.",
      otherPaths: "Andere Pfade",
      needsScript:
        "Die Parameter dieser Seite kennt nur der Browser, mit eingeschaltetem JavaScript.",
    },
    "/slow": {
      title: "Langsame Seite",
      purpose:
        "Der Server lässt sich Zeit, so lange ?ms= sagt, höchstens 5000. Gut, um den Fortschritt zu sehen und es sich unterwegs anders zu überlegen.",
      durations: "Andere Wartezeiten",
      waited: {
        one: "Der Server hat {count} Millisekunde gewartet.",
        other: "Der Server hat {count} Millisekunden gewartet.",
      },
    },
    "/moved": { title: "Verschobene Seite", purpose: "Leitet zur Server-Seite weiter." },
    "/missing": {
      title: "Fehlende Seite",
      purpose: "Gibt es, sagt aber, es gebe sie nicht: 404.",
    },
    "/failures": {
      title: "Fehler",
      purpose:
        "Seiten, die mit Absicht versagen, jede auf ihre Art, damit Sie sehen, was Besucher sehen und was berichtet wird.",
    },
    "/failures/server-data": {
      title: "Fehler in den Daten",
      purpose: "getServerSideProps wirft: eine Fehlerseite mit Kennung, jedes Mal ein Bericht.",
    },
    "/failures/server-render": {
      title: "Fehler beim Erzeugen auf dem Server",
      purpose:
        "Die Seite wirft beim Erzeugen: auf dem Server über ihre Adresse, im Browser nach einem Klick.",
    },
    "/failures/client-render": {
      title: "Fehler beim Anzeigen im Browser",
      purpose:
        "Ein Knopf lässt das nächste Anzeigen scheitern: die Fehlergrenze übernimmt, mit der Kennung des Berichts.",
      fail: "Nächstes Anzeigen scheitern lassen",
    },
    "/failures/client-event": {
      title: "Fehler in einer Ereignisbehandlung",
      purpose: "Die Behandlung eines Knopfes wirft: die Seite bleibt, der Fehler wird berichtet.",
      fail: "In der Behandlung werfen",
      failed: "Der Fehler wurde geworfen. Die Seite ist noch da, der Bericht ist unterwegs.",
    },
    "/failures/client-promise": {
      title: "Unbehandelte Zurückweisung",
      purpose:
        "Ein Knopf startet ein Promise, das scheitert und um das sich niemand kümmert: die Seite bleibt, es wird berichtet.",
      fail: "Promise zurückweisen",
      failed: "Der Fehler wurde geworfen. Die Seite ist noch da, der Bericht ist unterwegs.",
    },
    "/feedback": {
      title: "Rückmeldung",
      purpose: "Sagen Sie dem Team, was Sie denken. Geht mit und ohne JavaScript.",
    },
  },
};
