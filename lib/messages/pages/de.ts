import type { PageMessages } from "./en";

export const pages: PageMessages = {
  routes: {
    "/": {
      title: "Alle Wege auf einer Karte",
      purpose:
        "Je eine Seite jeder Art, die der Router kennt. Folgen Sie einem Schild, kehren Sie zurück, und sehen Sie, welche Route gegriffen hat und wie die Seite erzeugt wurde.",
    },
    "/static": {
      title: "Statische Seite",
      purpose: "Beim Bauen erzeugt, mit Daten aus getStaticProps.",
    },
    "/incremental/[slug]": {
      title: "Inkrementelle Seite",
      purpose:
        "Beim ersten Aufruf erzeugt, dann aufbewahrt und alle 60 Sekunden erneuert. Jeder Name geht; alpha und beta gibt es schon vom Bauen.",
    },
    "/server": {
      title: "Server-Seite",
      purpose: "Für jede Anfrage von getServerSideProps erzeugt.",
    },
    "/dynamic/[id]": {
      title: "Dynamisches Segment",
      purpose: "Ein Teil der Adresse ist ein Parameter und wird vor dem Erzeugen geprüft.",
    },
    "/catch-all/[...path]": {
      title: "Sammelroute",
      purpose: "Nimmt ein oder mehr Segmente, alle davon Parameter.",
    },
    "/optional/[[...path]]": {
      title: "Optionale Sammelroute",
      purpose:
        "Nimmt beliebig viele Segmente, auch keines. Sie wird vorab ohne sie erzeugt; der Router ergänzt sie im Browser.",
    },
    "/slow": {
      title: "Langsame Seite",
      purpose:
        "Der Server lässt sich Zeit, so lange ?ms= sagt, höchstens 5000. Gut, um den Fortschritt zu sehen und es sich unterwegs anders zu überlegen.",
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
    },
    "/failures/client-event": {
      title: "Fehler in einer Ereignisbehandlung",
      purpose: "Die Behandlung eines Knopfes wirft: die Seite bleibt, der Fehler wird berichtet.",
    },
    "/failures/client-promise": {
      title: "Unbehandelte Zurückweisung",
      purpose:
        "Ein Knopf startet ein Promise, das scheitert und um das sich niemand kümmert: die Seite bleibt, es wird berichtet.",
    },
  },
  page: {
    ways: "Wege",
    failures: "Absichtliche Fehler",
    more: "Rückmeldung",
    otherSlugs: "Andere Namen",
    otherPaths: "Andere Pfade",
    durations: "Andere Wartezeiten",
    waited: {
      one: "Der Server hat {count} Millisekunde gewartet.",
      other: "Der Server hat {count} Millisekunden gewartet.",
    },
    preparing: "Diese Seite wird zum ersten Mal erzeugt. Sie ist gleich da.",
    needsScript:
      "Die Parameter dieser Seite kennt nur der Browser, mit eingeschaltetem JavaScript.",
    failRender: "Nächstes Anzeigen scheitern lassen",
    failEvent: "In der Behandlung werfen",
    failPromise: "Promise zurückweisen",
    failed: "Der Fehler wurde geworfen. Die Seite ist noch da, der Bericht ist unterwegs.",
    api: "API",
    apiEcho: "Antwortet mit Methode, Pfad und Abfrage als JSON. Die Seite wird ganz geladen.",
  },
};
