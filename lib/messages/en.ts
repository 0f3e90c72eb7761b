import type { Texts } from "./format";
import { pages } from "./pages/en";
import { productName } from "./product-name";

const { routes, ...groups } = pages;

/**
 * English, and by its shape the list of all texts there are. The pages' own come last: a group or a
 * route that is here already is an error of type there, "specified more than once".
 */
export const en = {
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
  routes: {
    "/feedback": {
      title: "Feedback",
      purpose: "Tell the team what you think. It works with and without JavaScript.",
    },
    ...routes,
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
  ...groups,
};

export type Messages = Texts<typeof en>;
