import { productName } from "./product-name.ts";
import type { Texts } from "./texts.ts";

/**
 * English, and by its shape the list of all texts there are: those of every page in groups, and those
 * of one under `pages`, by its pattern. There `title` and `purpose` name the page in its document.
 */
export const messages = {
  shell: {
    skip: "Skip to content",
    home: `${productName}, home`,
    routes: "All routes",
    languages: "Language",
    lastNavigation: "Last navigation",
    about: `A page of ${productName}.`,
    loading: "Loading page",
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
    thanks: "Thank you for your message.",
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
  pages: {
    "/": {
      title: "Every way through",
      purpose:
        "One page of each kind the router knows. Follow a sign, come back, and watch which route matched and how the page was rendered.",
      ways: "Ways through",
      failures: "Failures, on purpose",
      more: "Reports and feedback",
      reports: "The inbox",
      reportsPurpose:
        "Shows the reports that no service gets. Opens with the token that the server prints.",
      api: "API",
      apiEcho: "Answers with method, path segments and query as JSON. A full page load.",
    },
    "/static": {
      title: "Static page",
      purpose: "Rendered at build time with data from getStaticProps.",
    },
    "/incremental/[slug]": {
      title: "Incremental page",
      purpose:
        "Rendered on first request, then kept and refreshed every 60 seconds. Any slug works; alpha and beta are there from the build.",
      otherSlugs: "Other slugs",
      preparing: "This page is being rendered for the first time. It will show in a moment.",
    },
    "/server": {
      title: "Server page",
      purpose: "Rendered for each request by getServerSideProps.",
    },
    "/dynamic/[id]": {
      title: "Dynamic segment",
      purpose: "One segment of the URL is a parameter, checked before anything is rendered.",
      otherPaths: "Try other paths",
    },
    "/catch-all/[...path]": {
      title: "Catch-all",
      purpose: "Takes one segment or more, all of them parameters.",
      otherPaths: "Try other paths",
    },
    "/optional/[[...path]]": {
      title: "Optional catch-all",
      purpose:
        "Takes any number of segments, none included. It is prerendered without knowing them; the router fills them in in the browser.",
      otherPaths: "Try other paths",
      needsScript: "The parameters of this page are known to the browser only, with JavaScript on.",
    },
    "/slow": {
      title: "Slow page",
      purpose:
        "The server waits for ?ms= milliseconds, 5000 at most. Shows the progress bar, and what happens when you go elsewhere meanwhile.",
      durations: "Other waits",
      waited: {
        one: "The server waited for {count} millisecond.",
        other: "The server waited for {count} milliseconds.",
      },
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
      fail: "Make the next render throw",
    },
    "/failures/client-event": {
      title: "Failing event handler",
      purpose: "A button's handler throws: the page stays as it is, and the error is reported.",
      fail: "Throw in the handler",
      failed: "The error was thrown. The page still works, and the error is being reported.",
    },
    "/failures/client-promise": {
      title: "Unhandled rejection",
      purpose:
        "A button starts a promise that rejects and that nobody handles: the page stays, and the rejection is reported.",
      fail: "Reject a promise",
      failed: "The error was thrown. The page still works, and the error is being reported.",
    },
    "/feedback": {
      title: "Feedback",
      purpose: "Tell the team what you think. It works with and without JavaScript.",
    },
  },
} as const;

export type Messages = Texts<typeof messages>;
