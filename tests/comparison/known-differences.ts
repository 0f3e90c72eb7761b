import { absent, type KnownDifference } from "./differences.ts";

/**
 * Everything in which what arrives from Signpost differs from what arrives from Sentry's documented
 * set-up, and why. docs/sentry.md has the same list.
 */
export const knownDifferences: KnownDifference[] = [
  // Privacy.
  {
    report: "*",
    place: "request.headers.*",
    sentry: "there",
    signpost: absent,
    kind: "privacy",
    reason: "No headers leave the app. Browser and system are contexts instead.",
  },
  {
    report: "http.server *",
    place: "data.http.request.header.*",
    sentry: "there",
    signpost: absent,
    kind: "privacy",
    reason: "The same headers as attributes.",
  },
  {
    report: "*",
    place: "user.ip_address",
    sentry: "HOST",
    signpost: absent,
    kind: "privacy",
    reason: "No address of a visitor leaves the app.",
  },
  {
    report: "*",
    place: "sdk.settings.infer_ip",
    sentry: "auto",
    signpost: "never",
    kind: "privacy",
    reason: "The service is told not to store the address that it sees.",
  },
  {
    report: "http.server *",
    place: "request.query_string",
    sentry: "*",
    signpost: "*[Filtered]",
    kind: "privacy",
    reason: "Values of a query are never sent.",
  },
  // Better here.
  {
    report: "*",
    place: "contexts.browser.*",
    sentry: absent,
    signpost: "*",
    kind: "better here",
    reason: "The browser is named in the report, so that no header is needed for it.",
  },
  {
    report: "*",
    place: "tags.side",
    sentry: absent,
    signpost: "*",
    kind: "better here",
    reason: "Errors can be searched by browser or server.",
  },
  {
    report: "*",
    place: "tags.route",
    sentry: absent,
    signpost: "*",
    kind: "better here",
    reason: "Errors can be searched by route, of browser and server alike.",
  },
  {
    report: "*",
    place: "tags.method",
    sentry: absent,
    signpost: "*",
    kind: "better here",
    reason: "Errors of the server can be searched by method.",
  },
  {
    report: "http.server *",
    place: "request.url",
    sentry: "*",
    signpost: "ORIGIN/*",
    kind: "better here",
    reason:
      "The address that was asked for. Sentry's set-up has a bare path or the page before it.",
  },
  {
    report: "pageload *",
    place: "measurements.cls.*",
    sentry: absent,
    signpost: "there",
    kind: "better here",
    reason: "A page that doesn't shift says so, and is in the average.",
  },
  {
    report: "no operation *",
    place: "sent",
    sentry: "yes",
    signpost: absent,
    kind: "better here",
    reason: "Next's loading of modules is no request: such transactions are noise.",
  },
  {
    report: "items",
    place: "of the type session",
    sentry: "yes",
    signpost: absent,
    kind: "given up",
    reason: "Sessions are not counted.",
  },
  {
    report: "items",
    place: "of the type client_report",
    sentry: "yes",
    signpost: absent,
    kind: "better here",
    reason: "Of 404s: they are no transactions here, so that none has to be dropped.",
  },
  {
    report: "message *",
    place: "exception.*",
    sentry: "*",
    signpost: absent,
    kind: "better here",
    reason: "A message has no stack unless attachStacktrace asks for one: its words are the title.",
  },
  // Given up.
  {
    report: "http.server *",
    place: "span no operation *",
    sentry: "auto*",
    signpost: absent,
    kind: "given up",
    reason: "Next's inner spans take half as much CPU again: SENTRY_SERVER_TRACING=full has them.",
  },
  {
    report: "http.server *",
    place: "span function prices",
    sentry: "manual, in no operation *",
    signpost: "manual",
    kind: "given up",
    reason: "An own span is in the transaction itself where Next's inner spans are not there.",
  },
];
