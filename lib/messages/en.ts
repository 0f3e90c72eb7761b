/** English, and by its shape the list of all texts there are. */
export const en = {
  shell: {
    skip: "Skip to content",
    home: "Signpost, home",
    routes: "All routes",
    languages: "Language",
    lastNavigation: "Last navigation",
    about: "A page of Signpost.",
    loading: "Loading page",
    pages: "Ways through",
    failures: "Failures, on purpose",
    more: "Reports and feedback",
  },
  facts: {
    heading: "Route facts",
    pattern: "Pattern",
    path: "Path",
    params: "Parameters",
    locale: "Locale",
    rendering: "Rendering",
    "rendered-at": "Rendered at",
  },
  rendering: {
    static: "Rendered once, when the app is built.",
    incremental: "Rendered ahead, and again at most once a minute when it is requested.",
    server: "Rendered on the server for each request.",
  },
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
      purpose: "getServerSideProps throws: an error page with a reference, and one report.",
    },
    "/failures/server-render": {
      title: "Failing render on the server",
      purpose: "The page throws while it renders on the server: the same error page, one report.",
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
    "/feedback": {
      title: "Feedback",
      purpose: "Tell the team what you think. It works with and without JavaScript.",
    },
    "/reports": {
      title: "Reports",
      purpose: "Errors, measurements and feedback, newest first.",
    },
    "/reports/[group]": {
      title: "One error",
      purpose: "One kind of error, with its stack, what led to it, and every time it was seen.",
    },
  },
  page: {
    dataMade: "Data made at",
    otherSlugs: "Other slugs",
    otherPaths: "Try other paths",
    durations: "Other waits",
    waited: "The server waited",
    milliseconds: "ms",
    preparing: "This page is being rendered for the first time. It will show in a moment.",
    needsScript: "The parameters of this page are known to the browser only, with JavaScript on.",
    tryAgain: "Try again",
    failRender: "Make the next render throw",
    failEvent: "Throw in the handler",
    failPromise: "Reject a promise",
    failed: "The error was thrown. The page still works, and the error is being reported.",
    api: "API",
    apiEcho: "Answers with method, path segments and query as JSON. A full page load.",
  },
  errors: {
    applicationError: "Application error",
    server: "Something failed on the server while it made this page.",
    browser: "Something failed in your browser while it showed this page.",
    advice: "It has been reported. You can try again, or go back to the start.",
    tryAgain: "Try again",
    home: "Go to the start",
    reference: "Reference",
    copy: "Copy",
    copied: "Reference copied",
    copyFailed: "The browser does not allow copying here. Select the reference instead.",
    notFound: "Page not found",
    notFoundAt: "There is nothing at",
    notFoundAdvice: "The address may be mistyped, or the page may have moved.",
    badRequest: "This address can't be read",
    badRequestAdvice: "Check the address, or start from the home page.",
    tell: "Tell the team",
  },
  feedback: {
    heading: "What happened?",
    message: "Your message",
    name: "Name (optional)",
    email: "Email (optional)",
    send: "Send",
    sending: "Sending…",
    thanks: "Thank you. Your message has arrived.",
    again: "Write another",
    summary: "Your message can't be sent yet:",
    messageRequired: "Write a message.",
    messageTooLong: "Keep the message under 4,000 characters.",
    nameTooLong: "Keep the name under 100 characters.",
    emailWrong: "Enter an email address such as name@example.com, or leave it empty.",
    failed: "It could not be sent just now. Your text is still here: please try again.",
    tooMany: "Too many messages from your address. Please try again in a minute.",
    busy: "Too much is being sent at once. Go back to your text, and send it again in a minute.",
    referenceWrong: "The reference is not one of ours. Load the page again.",
    tooLarge: "The message is too large to be taken.",
    otherSite: "The form was sent from another site, so it was not taken.",
    unreadable: "The form could not be read. Please send it from this page.",
    leaveEmpty: "Leave this field empty",
    note: "Your message goes to the team together with the reference. Leave an address only if you want an answer.",
  },
};

type Texts<T> = { [K in keyof T]: T[K] extends string ? string : Texts<T[K]> };
export type Messages = Texts<typeof en>;
