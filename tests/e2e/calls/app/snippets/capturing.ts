import type * as SentrySdk from "@sentry/nextjs";
import { Sentry } from "../sentry";
import { browser, node, type Snippet, sdkTwice, server } from "./snippet";
import { wrong } from "./wrong";

/** With Sentry's own type, which it has in an app of either package. */
const captureReactException: typeof SentrySdk.captureReactException = wrong(
  Sentry.captureReactException,
);

const dedupe = "What happens twice is two events: the integration Dedupe is left out.";

export const capturing: Snippet[] = [
  {
    name: "captureException of an Error",
    run: () => Sentry.captureException(new Error("The cart is empty")),
  },
  {
    name: "captureException of an error of a class of one's own, with a cause",
    run: () => {
      class CheckoutError extends Error {
        override name = "CheckoutError";
      }
      return Sentry.captureException(
        new CheckoutError("Checkout failed", { cause: new TypeError("No price") }),
      );
    },
  },
  {
    name: "captureException of an AggregateError",
    run: () =>
      Sentry.captureException(
        new AggregateError([new Error("First of two"), new RangeError("Second of two")], "Both"),
      ),
  },
  {
    name: "captureException of an error with further properties",
    run: () =>
      Sentry.captureException(
        Object.assign(new Error("With properties"), { code: "E_CART", n: 3 }),
      ),
  },
  { name: "captureException of a text", run: () => Sentry.captureException("A bare text") },
  { name: "captureException of a number", run: () => Sentry.captureException(17) },
  { name: "captureException of null", run: () => Sentry.captureException(null) },
  { name: "captureException of undefined", run: () => Sentry.captureException(undefined) },
  {
    name: "captureException without an argument",
    differs: [{ in: browser, what: "error undefined", why: dedupe }],
    run: () => (Sentry.captureException as () => string)(),
  },
  {
    name: "captureException of an object",
    run: () => Sentry.captureException({ status: 404, reason: "gone" }),
  },
  {
    name: "captureException of an object with a message",
    run: () => Sentry.captureException({ name: "Odd", message: "An object with a message" }),
  },
  { name: "captureException of an array", run: () => Sentry.captureException(["one", "two"]) },
  {
    name: "captureException of an object that holds itself",
    run: () => {
      const circle: Record<string, unknown> = { part: "circle" };
      circle.self = circle;
      return Sentry.captureException(circle);
    },
  },
  {
    name: "captureException of a DOMException",
    differs: [
      {
        in: browser,
        what: "error *Taken back",
        why: "With the SDK and without it, an error has the same words.",
      },
    ],
    run: () => Sentry.captureException(new DOMException("Taken back", "AbortError")),
  },
  {
    name: "captureException of an Event",
    in: browser,
    run: () => Sentry.captureException(new Event("odd")),
  },
  {
    name: "captureException of an ErrorEvent",
    in: browser,
    run: () =>
      Sentry.captureException(
        new ErrorEvent("error", { message: "Of the event", error: new Error("In the event") }),
      ),
  },
  {
    name: "captureException of a frozen error",
    run: () => Sentry.captureException(Object.freeze(new Error("Frozen"))),
  },
  {
    name: "captureException with a context of all kinds",
    run: () =>
      Sentry.captureException(new Error("With context"), {
        tags: { section: "articles" },
        extra: { rows: 3 },
        contexts: { order: { number: 17 } },
        user: { id: "17", email: "ada@example.org" },
        level: "warning",
        fingerprint: ["cart", "{{ default }}"],
      }),
  },
  {
    name: "captureException with a function that changes the scope",
    run: () =>
      Sentry.captureException(new Error("With a function"), (scope) => {
        scope.setTag("by", "function");
        return scope;
      }),
  },
  {
    name: "captureException with a scope",
    differs: [{ in: node, what: "error With a scope · *", why: sdkTwice }],
    run: () => {
      const scope = new Sentry.Scope();
      scope.setTag("by", "scope").setLevel("info");
      return Sentry.captureException(new Error("With a scope"), scope);
    },
  },
  {
    name: "captureException with a mechanism",
    run: () =>
      Sentry.captureException(new Error("With a mechanism"), {
        mechanism: { type: "ours", handled: false, data: { part: "cart" } },
      }),
  },
  {
    name: "captureException with an id",
    run: () =>
      Sentry.captureException(new Error("With an id"), {
        event_id: "0123456789abcdef0123456789abcde0",
      }),
  },
  {
    name: "captureException with an attachment",
    run: () =>
      Sentry.captureException(new Error("With an attachment"), {
        attachments: [{ filename: "cart.txt", data: "one lamp", contentType: "text/plain" }],
      }),
  },
  {
    name: "captureException with null as context",
    run: () => Sentry.captureException(new Error("With null"), wrong(null)),
  },
  {
    name: "captureException with a text as context",
    run: () => Sentry.captureException(new Error("With a text"), wrong("warning")),
  },
  {
    name: "captureException twice of one error",
    differs: [
      {
        in: browser,
        what: "gives.same",
        why: "An error that is captured again has the id of its event.",
      },
    ],
    run: () => {
      const error = new Error("Twice");
      const [first, second] = [Sentry.captureException(error), Sentry.captureException(error)];
      return { first, second, same: first === second };
    },
  },
  {
    name: "captureException in a loop",
    run: () => {
      const ids = new Set<string>();
      for (let n = 0; n < 5; n += 1) ids.add(Sentry.captureException(new Error(`Loop ${n}`)));
      return ids.size;
    },
  },
  {
    name: "captureException of a rejected promise, never awaited",
    run: () => {
      Promise.reject(new Error("Never awaited")).catch(Sentry.captureException);
    },
  },
  {
    name: "captureException in a catch block around await",
    run: async () => {
      try {
        await Promise.reject(new Error("Awaited"));
      } catch (error) {
        return Sentry.captureException(error);
      }
    },
  },
  { name: "captureMessage", run: () => Sentry.captureMessage("Something went well") },
  {
    name: "captureMessage with a level",
    run: () => Sentry.captureMessage("Something is odd", "warning"),
  },
  {
    name: "captureMessage with a level that is none",
    run: () => Sentry.captureMessage("With an odd level", wrong("loud")),
  },
  {
    name: "captureMessage with a context",
    run: () =>
      Sentry.captureMessage("With a context", {
        level: "error",
        tags: { section: "articles" },
        user: { id: "18", username: "ada" },
        fingerprint: ["one"],
      }),
  },
  {
    name: "captureMessage with a function that changes the scope",
    run: () =>
      Sentry.captureMessage("With a function", (scope) => scope.setExtra("by", "function")),
  },
  {
    name: "captureMessage of a parameterized text",
    in: ["before", "after", ...node],
    run: () => Sentry.captureMessage(Sentry.parameterize`${3} items in ${"the cart"}`),
  },
  { name: "captureMessage of an empty text", run: () => Sentry.captureMessage("") },
  { name: "captureMessage of a number", run: () => Sentry.captureMessage(wrong(42)) },
  { name: "captureMessage of null", run: () => Sentry.captureMessage(wrong(null)) },
  { name: "captureMessage of an object", run: () => Sentry.captureMessage(wrong({ a: 1 })) },
  {
    name: "captureMessage of an Error",
    run: () => Sentry.captureMessage(wrong(new Error("As a message"))),
  },
  {
    name: "captureMessage twice of one text",
    differs: [
      {
        in: [...browser, ...node],
        what: "message Again (2)",
        why: dedupe,
      },
    ],
    run: () => {
      const ids = [1, 2].map(() => Sentry.captureMessage("Again"));
      return ids[0] === ids[1];
    },
  },
  {
    name: "captureMessage of a long text",
    run: () => Sentry.captureMessage(`${"long ".repeat(100)}end`),
  },
  {
    name: "captureEvent with a message",
    run: () =>
      Sentry.captureEvent({
        message: "Manual",
        level: "debug",
        tags: { by: "hand" },
        extra: { deep: { deeper: { deepest: { too: { deep: 1 } } } } },
      }),
  },
  {
    name: "captureEvent with an exception",
    differs: [
      {
        in: node,
        what: "* · transaction",
        why: "An event that names its transaction keeps that name.",
      },
    ],
    run: () =>
      Sentry.captureEvent({
        exception: { values: [{ type: "Manual", value: "An event by hand" }] },
        user: { id: "19" },
        transaction: "by hand",
        fingerprint: ["by hand"],
      }),
  },
  {
    name: "captureEvent with an id, a time and a release",
    run: () =>
      Sentry.captureEvent({
        event_id: "0123456789abcdef0123456789abcde1",
        message: "With everything",
        timestamp: Date.now() / 1000,
        release: "1.2.3",
        environment: "elsewhere",
        logger: "ours",
        server_name: "named",
        contexts: { order: { number: 18 } },
      }),
  },
  {
    name: "captureEvent with a hint",
    run: () =>
      Sentry.captureEvent(
        { message: "With a hint" },
        {
          captureContext: { tags: { by: "hint" } },
          attachments: [{ filename: "a.bin", data: new Uint8Array([1, 2, 3]) }],
        },
      ),
  },
  { name: "captureEvent of an empty event", run: () => Sentry.captureEvent({}) },
  { name: "captureEvent of null", run: () => Sentry.captureEvent(wrong(null)) },
  {
    name: "captureFeedback",
    run: () => Sentry.captureFeedback({ message: "I like this" }),
  },
  {
    name: "captureFeedback about an event, with all it can hold",
    run: () =>
      Sentry.captureFeedback(
        {
          message: "I like that",
          name: "Ada",
          email: "ada@example.org",
          url: "https://shop.example/cart",
          source: "form",
          associatedEventId: Sentry.captureMessage("What the feedback is about"),
          tags: { kind: "praise" },
        },
        { captureContext: { tags: { plan: "free" } }, includeReplay: false },
      ),
  },
  {
    name: "captureFeedback with a scope",
    run: () => {
      const scope = new Sentry.Scope();
      scope.setTag("by", "scope");
      return Sentry.captureFeedback({ message: "In a scope" }, {}, scope);
    },
  },
  { name: "captureFeedback of nothing", run: () => Sentry.captureFeedback(wrong({})) },
  { name: "captureFeedback of null", run: () => Sentry.captureFeedback(wrong(null)) },
  {
    name: "lastEventId after a capture",
    run: () => Sentry.captureMessage("The last") === Sentry.lastEventId(),
  },
  {
    name: "lastEventId after a capture that is awaited",
    run: async () => {
      const id = Sentry.captureException(new Error("The last error"));
      await Promise.resolve();
      return id === Sentry.lastEventId();
    },
  },
  {
    name: "captureUnderscoreErrorException of an error",
    differs: [
      {
        in: browser,
        what: "error Of the page*",
        why: "The error page stands where a navigation has failed: the error says so, and has its target's route.",
      },
    ],
    run: () => Sentry.captureUnderscoreErrorException({ err: new Error("Of the page"), ...noPage }),
  },
  {
    name: "captureUnderscoreErrorException of a page that is not there",
    run: () =>
      Sentry.captureUnderscoreErrorException({
        res: wrong({ statusCode: 404 }),
        err: null,
        ...noPage,
      }),
  },
  {
    name: "captureUnderscoreErrorException of nothing",
    differs: [
      {
        in: node,
        what: "* · exception.values.0.stacktrace",
        why: "The stack would be that of Sentry's own function.",
      },
      ...["gives*", "error _error.js called with falsy error (null)"].map((what) => ({
        in: browser,
        what,
        why: "Without an error, the error page is that of an address that does not exist.",
      })),
    ],
    run: () => Sentry.captureUnderscoreErrorException({ err: null, ...noPage }),
  },
  {
    name: "captureRequestError",
    differs: [
      {
        in: node,
        what: "* · contexts.nextjs.request_path",
        why: "Values of a query are never sent.",
      },
      {
        in: node,
        what: "* · transaction",
        why: "A report is named by the request that is under way.",
      },
    ],
    in: server,
    run: () =>
      Sentry.captureRequestError(
        new Error("Of a request"),
        { path: "/shop/17?q=1", method: "GET", headers: {} },
        {
          routerKind: "Pages Router",
          routePath: "/shop/[id]",
          routeType: "render",
          revalidateReason: undefined,
        },
      ),
  },
  {
    name: "captureReactException with a component stack",
    in: browser,
    run: () =>
      captureReactException(new Error("Of a component"), {
        componentStack: "\n    at Cart (cart.js:1:1)\n    at Shop (shop.js:2:2)",
      }),
  },
  {
    name: "captureReactException with a hint",
    in: browser,
    run: () =>
      captureReactException(
        new Error("Of a component, with a hint"),
        { componentStack: "\n    at Cart (cart.js:1:1)" },
        { captureContext: { tags: { by: "hint" } }, mechanism: { type: "ours", handled: true } },
      ),
  },
];

const noPage = { pathname: "/_error", query: {}, AppTree: wrong<never>(undefined) };
