/**
 * English, and by its shape the list of all texts of the inbox. Counts stand after a colon or
 * alone, so no language needs plural forms.
 */
export const en = {
  views: {
    label: "Views",
    errors: "Errors",
    performance: "Performance",
    feedback: "Feedback",
  },
  find: {
    label: "Find an error by its reference",
    button: "Find",
    notKept: "No error with this reference is kept here:",
    noReference: "This is not a reference. A reference has 32 digits and letters from a to f:",
  },
  refresh: {
    active: "Refreshes by itself",
    paused: "Refreshing is paused",
    lost: "The server can't be reached. Trying again.",
    outdated: "This page can't be refreshed any more.",
    pause: "Pause",
    resume: "Resume",
    reload: "Reload the page",
    refresh: "Refresh",
  },
  units: {
    justNow: "just now",
    milliseconds: "ms",
    seconds: "s",
  },
  origins: {
    browser: "browser",
    server: "server",
  },
  list: {
    pages: "Pages",
    newer: "Newer",
    older: "Older",
    kept: "Reports kept",
    unreadable: "Entries that could not be read",
    dropped: "Entries dropped (too old, or no space left)",
  },
  empty: {
    errors: {
      heading: "No errors yet",
      text: "New errors appear here within seconds. To see one:",
      link: "break something",
    },
    performance: {
      heading: "No measurements yet",
      text: "Browsers send measurements when a page has loaded and when it is left; the server sends them after each request. To get some:",
      link: "look around, then come back",
    },
    feedback: {
      heading: "No feedback yet",
      text: "Messages come from the error pages and from the feedback page. To try it:",
      link: "write one",
    },
  },
  errors: {
    times: "Times seen",
    last: "Last seen",
    since: "first seen",
    messages: "Messages",
  },
  performance: {
    scale: "How to read the bars",
    scaleHelp:
      "Each bar ends at the 75th percentile: three out of four visits were no worse. Its three parts are good, needs improvement and poor.",
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
    goodUpTo: "good up to",
    poorOver: "poor over",
    measured: "Measured",
    visits: "Visits measured",
    unknownRoute: "unknown route",
    otherRoutes: "other routes",
    server: "Server",
    requests: {
      count: "Requests",
      p50: "Half within",
      p75: "75% within",
      p95: "95% within",
      failureRate: "Failed",
    },
  },
  feedback: {
    anonymous: "anonymous",
    about: "About",
    noLongerKept: "an error no longer kept",
    page: "Page",
  },
  report: {
    allErrors: "All errors",
    facts: "Facts",
    count: "Times seen",
    first: "First seen",
    last: "Last seen",
    origins: "Happened in",
    routes: "Routes",
    releases: "Releases",
    environment: "Environment",
    level: "Level",
    handled: "Handled",
    handledByApp: "yes, by the app",
    notHandled: "no",
    request: "Request",
    reference: "Reference",
    traceId: "Trace",
    gone: "The report is no longer kept. Only this summary is left.",
    feedback: "Feedback",
    stack: "Stack",
    causedBy: "Caused by",
    noStack: "No stack came with this report.",
    libraries: "Library frames",
    anonymousFunction: "anonymous function",
    breadcrumbs: "Breadcrumbs",
    tags: "Tags",
    contexts: "Contexts",
    occurrences: "Latest occurrences",
  },
};

type Texts<T> = { [K in keyof T]: T[K] extends string ? string : Texts<T[K]> };
export type InboxMessages = Texts<typeof en>;
