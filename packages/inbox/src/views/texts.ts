/**
 * The texts of the inbox that stand at several places, or are picked by a name; the others stand where they are shown.
 * In English whatever the language of the app is: a tool for operators.
 */
export const texts = {
  faults: {
    // A stranger is not told that there is an inbox.
    denied: {
      heading: "Not found",
      text: "There is nothing at this address.",
      link: "Open the app",
    },
    "not-found": {
      heading: "Not found",
      text: "There is nothing at this address, or it is no longer kept.",
      link: "See all errors",
    },
    failed: {
      heading: "Something went wrong",
      text: "This page could not be made. The server's log has the reason.",
      link: "See all errors",
    },
    away: {
      heading: "The store does not answer",
      text: "The reports can't be read at the moment. The server's log has the reason. In a while,",
      link: "try again",
    },
  },
  views: {
    errors: "Errors",
    performance: "Performance",
    feedback: "Feedback",
  },
  parts: {
    kind: "Error or message",
    release: "Release",
    environment: "Environment",
    route: "Route",
    origin: "Browser or server",
  },
  states: {
    open: "open",
    new: "new in this release",
    "came-back": "came back",
    resolved: "resolved",
    ignored: "ignored",
    all: "all",
  },
  kinds: {
    error: "Error",
    message: "Message",
  },
  unshown: {
    logs: "Logs",
    metrics: "Metrics",
    checkIns: "Check-ins",
    sessions: "Sessions",
    replays: "Replays",
    profiles: "Profiles",
  },
  origins: {
    browser: "browser",
    server: "server",
  },
  empty: {
    errors: {
      heading: "No errors yet",
      text: "New errors appear here within seconds. To see one, throw an error in a page or an API route:",
      link: "open the app",
    },
    filtered: {
      heading: "Nothing found",
      text: "No error kept here matches the search and the filters.",
      link: "Clear them",
    },
    ignored: {
      heading: "No errors but ignored ones",
      text: "New errors appear here within seconds.",
      link: "Show the ignored ones",
    },
    performance: {
      heading: "No measurements yet",
      text: "Browsers send measurements when a page has loaded and when it is left; the server sends them after each request. To get some, look around and come back:",
      link: "open the app",
    },
    feedback: {
      heading: "No feedback yet",
      text: "What visitors write in the app's forms, and what Sentry.captureFeedback sends, appears here within seconds:",
      link: "open the app",
    },
  },
  vitals: {
    lcp: "Largest contentful paint",
    inp: "Interaction to next paint",
    cls: "Cumulative layout shift",
    fcp: "First contentful paint",
    ttfb: "Time to first byte",
  },
  ratings: {
    good: "good",
    "needs-improvement": "needs improvement",
    poor: "poor",
  },
  days: "Last 7 days, today last",
  visit: "One visit",
  /** On the page of an error, and in its Markdown. */
  report: {
    count: "Times seen",
    first: "First seen",
    last: "Last seen",
    origins: "Happened in",
    routes: "Routes",
    releases: "Releases",
    environment: "Environment",
    request: "Request",
    reference: "Reference",
    traceId: "Trace",
    stack: "Stack",
    causedBy: "Caused by",
  },
};

/** Why a request could not be answered. */
export type Fault = keyof typeof texts.faults;
