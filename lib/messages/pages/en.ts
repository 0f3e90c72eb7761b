import type { Texts } from "../format";

/**
 * The texts of the app's own pages in English, and by their shape the list of them: title and
 * purpose of each page under `routes`, everything else as you like.
 */
export const pages = {
  routes: {
    "/": {
      title: "Every way through",
      purpose:
        "One page of each kind the router knows. Follow a sign, come back, and watch which route matched and how the page was rendered.",
    },
    "/static": {
      title: "Static page",
      purpose: "Rendered at build time with data from getStaticProps.",
    },
    "/incremental/[slug]": {
      title: "Incremental page",
      purpose:
        "Rendered on first request, then kept and refreshed every 60 seconds. Any slug works; alpha and beta are there from the build.",
    },
    "/server": {
      title: "Server page",
      purpose: "Rendered for each request by getServerSideProps.",
    },
    "/dynamic/[id]": {
      title: "Dynamic segment",
      purpose: "One segment of the URL is a parameter, checked before anything is rendered.",
    },
    "/catch-all/[...path]": {
      title: "Catch-all",
      purpose: "Takes one segment or more, all of them parameters.",
    },
    "/optional/[[...path]]": {
      title: "Optional catch-all",
      purpose:
        "Takes any number of segments, none included. It is prerendered without knowing them; the router fills them in in the browser.",
    },
    "/slow": {
      title: "Slow page",
      purpose:
        "The server waits for ?ms= milliseconds, 5000 at most. Shows the progress bar, and what happens when you go elsewhere meanwhile.",
    },
    "/moved": { title: "Moved page", purpose: "Redirects to the server page." },
    "/missing": { title: "Missing page", purpose: "Exists, but says that it does not: 404." },
    "/failures": {
      title: "Failures",
      purpose:
        "Pages that break on purpose, each in its own way, so that you can see what a visitor sees and what is reported.",
    },
    "/failures/server-data": {
      title: "Failing data",
      purpose: "getServerSideProps throws: an error page with a reference, and a report each time.",
    },
    "/failures/server-render": {
      title: "Failing render on the server",
      purpose:
        "The page throws while it renders: on the server by its address, in the browser by a click.",
    },
    "/failures/client-render": {
      title: "Failing render in the browser",
      purpose:
        "A button makes the next render throw: the error boundary takes over, with the reference of the report.",
    },
    "/failures/client-event": {
      title: "Failing event handler",
      purpose: "A button's handler throws: the page stays as it is, and the error is reported.",
    },
    "/failures/client-promise": {
      title: "Unhandled rejection",
      purpose:
        "A button starts a promise that rejects and that nobody handles: the page stays, and the rejection is reported.",
    },
  },
  page: {
    ways: "Ways through",
    failures: "Failures, on purpose",
    more: "Feedback",
    otherSlugs: "Other slugs",
    otherPaths: "Try other paths",
    durations: "Other waits",
    waited: {
      one: "The server waited for {count} millisecond.",
      other: "The server waited for {count} milliseconds.",
    },
    preparing: "This page is being rendered for the first time. It will show in a moment.",
    needsScript: "The parameters of this page are known to the browser only, with JavaScript on.",
    failRender: "Make the next render throw",
    failEvent: "Throw in the handler",
    failPromise: "Reject a promise",
    failed: "The error was thrown. The page still works, and the error is being reported.",
    api: "API",
    apiEcho: "Answers with method, path segments and query as JSON. A full page load.",
  },
};

export type PageMessages = Texts<typeof pages>;
