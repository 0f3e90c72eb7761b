import { Sentry } from "../sentry";
import { browser, node, type Snippet, sdkTwice } from "./snippet";
import { wrong } from "./wrong";

export const scopes: Snippet[] = [
  {
    name: "setTag",
    run: () => {
      const gives = Sentry.setTag("page.locale", "de");
      Sentry.captureMessage("Tagged");
      return gives;
    },
  },
  {
    name: "setTag of other values",
    run: () => {
      Sentry.setTag("number", 17);
      Sentry.setTag("boolean", true);
      Sentry.setTag("null", null);
      Sentry.setTag("undefined", undefined);
      Sentry.setTag("long", "x".repeat(300));
      Sentry.setTag("with space", "a\nb");
      Sentry.captureMessage("Tagged by other values");
    },
  },
  {
    name: "setTag that is taken away",
    run: () => {
      Sentry.setTag("gone", "yes");
      Sentry.setTag("gone", undefined);
      Sentry.captureMessage("No longer tagged");
    },
  },
  {
    name: "setTag right after a capture",
    run: () => {
      Sentry.captureMessage("Before the tag");
      Sentry.setTag("late", "yes");
    },
  },
  {
    name: "setTag of an object",
    run: () => {
      Sentry.setTag("object", wrong({ a: 1 }));
      Sentry.captureMessage("Tagged by an object");
    },
  },
  {
    name: "setTags",
    run: () => {
      Sentry.setTags({ a: "1", b: 2, c: false });
      Sentry.captureMessage("Tagged twice");
    },
  },
  {
    name: "setTags of null",
    run: () => {
      Sentry.setTags(wrong(null));
      Sentry.captureMessage("Tagged by null");
    },
  },
  {
    name: "setUser",
    run: () => {
      Sentry.setUser({ id: "17", username: "ada", email: "ada@example.org", plan: "free" });
      Sentry.captureException(new Error("Of a user"));
    },
  },
  {
    name: "setUser to null",
    run: () => {
      Sentry.setUser({ id: "18" });
      Sentry.setUser(null);
      Sentry.captureMessage("Of nobody");
    },
  },
  {
    name: "setUser with a number as id",
    run: () => {
      Sentry.setUser({ id: 19 });
      Sentry.captureMessage("Of a number");
    },
  },
  {
    name: "setUser to a text",
    run: () => {
      Sentry.setUser(wrong("ada"));
      Sentry.captureMessage("Of a text");
    },
  },
  {
    name: "setUser to undefined",
    run: () => {
      Sentry.setUser(wrong(undefined));
      Sentry.captureMessage("Of undefined");
    },
  },
  {
    name: "setContext",
    run: () => {
      Sentry.setContext("character", {
        name: "Mighty Fighter",
        age: 19,
        attack: { type: "melee" },
      });
      Sentry.captureException(new Error("In a context"));
    },
  },
  {
    name: "setContext to null",
    run: () => {
      Sentry.setContext("character", { age: 19 });
      Sentry.setContext("character", null);
      Sentry.captureMessage("In no context");
    },
  },
  {
    name: "setContext of values of all kinds",
    run: () => {
      Sentry.setContext("kinds", {
        date: new Date(0),
        map: new Map([["a", 1]]),
        list: [1, [2, [3, [4]]]],
        bigint: 3n,
        symbol: Symbol("s"),
        call: () => 1,
        nan: Number.NaN,
        undefined: undefined,
        error: new Error("Inside"),
      });
      Sentry.captureMessage("In a context of all kinds");
    },
  },
  {
    name: "setExtra and setExtras",
    run: () => {
      Sentry.setExtra("one", { a: 1 });
      Sentry.setExtras({ two: [1, 2], three: "3" });
      Sentry.captureMessage("With extras");
    },
  },
  {
    name: "setAttribute and setAttributes",
    run: () => {
      Sentry.setAttribute("plan", "free");
      Sentry.setAttributes({ seats: 3, ratio: { value: 0.5, unit: "ratio" } });
      Sentry.captureMessage("With attributes");
      Sentry.logger.info("A log with attributes");
    },
  },
  {
    name: "setConversationId",
    in: ["before", "after", ...node],
    run: () => {
      Sentry.setConversationId("conversation-1");
      Sentry.captureMessage("In a conversation");
    },
  },
  {
    name: "addBreadcrumb",
    run: () => {
      Sentry.addBreadcrumb({
        category: "auth",
        message: "Authenticated",
        level: "info",
        type: "user",
        data: { method: "code" },
      });
      Sentry.captureMessage("After a breadcrumb");
    },
  },
  {
    name: "addBreadcrumb with a message alone",
    run: () => {
      Sentry.addBreadcrumb({ message: "Alone" });
      Sentry.addBreadcrumb({ message: "With a hint" }, { from: "here" });
      Sentry.captureMessage("After bare breadcrumbs");
    },
  },
  {
    name: "addBreadcrumb after the capture",
    run: () => {
      Sentry.captureMessage("Before a breadcrumb");
      Sentry.addBreadcrumb({ message: "Too late" });
    },
  },
  {
    name: "addBreadcrumb in a loop, more often than is kept",
    run: () => {
      for (let n = 0; n < 120; n += 1) Sentry.addBreadcrumb({ message: "step" });
      Sentry.captureMessage("After many breadcrumbs");
      return Sentry.getIsolationScope().getScopeData().breadcrumbs.length;
    },
  },
  {
    name: "addBreadcrumb of null",
    run: () => {
      Sentry.addBreadcrumb(wrong(null));
      Sentry.captureMessage("After no breadcrumb");
    },
  },
  {
    name: "withScope",
    run: () => {
      const gives = Sentry.withScope((scope) => {
        scope.setTag("inside", "yes");
        scope.setLevel("warning");
        Sentry.captureMessage("Inside a scope");
        return "given back";
      });
      Sentry.captureMessage("Outside of the scope");
      return gives;
    },
  },
  {
    name: "withScope inside of withScope",
    run: () =>
      Sentry.withScope((outer) => {
        outer.setTag("outer", "yes");
        return Sentry.withScope((inner) => {
          inner.setTag("inner", "yes");
          Sentry.captureMessage("In two scopes");
          return inner === Sentry.getCurrentScope() && inner !== outer;
        });
      }),
  },
  {
    name: "withScope of a callback that throws",
    run: () => {
      const before = Sentry.getCurrentScope();
      try {
        Sentry.withScope(() => {
          throw new Error("In a scope");
        });
      } catch (error) {
        return [error, Sentry.getCurrentScope() === before];
      }
    },
  },
  {
    name: "withScope of an async callback",
    run: () =>
      Sentry.withScope(async (scope) => {
        await Promise.resolve();
        scope.setTag("async", "yes");
        return scope.captureMessage("In an async scope");
      }),
  },
  {
    name: "withScope of a scope that is given",
    run: () => {
      const given = new Sentry.Scope();
      given.setTag("given", "yes");
      return Sentry.withScope(given, (scope) => {
        Sentry.captureMessage("In a given scope");
        return scope === given;
      });
    },
  },
  { name: "withScope of nothing", run: () => Sentry.withScope(wrong<() => void>(undefined)) },
  {
    name: "withIsolationScope",
    run: () =>
      Sentry.withIsolationScope((isolation) => {
        isolation.setTag("isolated", "yes");
        Sentry.captureMessage("In isolation");
        return isolation === Sentry.getIsolationScope();
      }),
  },
  {
    name: "withIsolationScope of an async callback",
    run: async () => {
      await Sentry.withIsolationScope(async () => {
        Sentry.setTag("isolated", "async");
        await Promise.resolve();
        Sentry.captureMessage("In async isolation");
      });
      Sentry.captureMessage("Out of isolation");
    },
  },
  {
    name: "a tag of each of the three scopes",
    run: () => {
      Sentry.getGlobalScope().setTag("global", "yes");
      Sentry.getIsolationScope().setTag("isolation", "yes");
      Sentry.getCurrentScope().setTag("current", "yes");
      Sentry.captureMessage("With three tags");
      Sentry.getGlobalScope().setTag("global", undefined);
    },
  },
  {
    name: "one name in all three scopes",
    run: () => {
      Sentry.getGlobalScope().setTag("which", "global");
      Sentry.getIsolationScope().setTag("which", "isolation");
      Sentry.getCurrentScope().setTag("which", "current");
      Sentry.captureMessage("Which tag");
      Sentry.getGlobalScope().setTag("which", undefined);
    },
  },
  {
    name: "a scope's own capture methods",
    run: () => {
      const scope = Sentry.getCurrentScope().clone();
      scope.setTag("own", "yes");
      const ids = [
        scope.captureException(new Error("By a scope")),
        scope.captureMessage("By a scope", "error"),
        scope.captureEvent({ message: "By a scope, an event" }),
      ];
      return ids;
    },
  },
  {
    name: "a new scope has no client",
    run: () => {
      const scope = new Sentry.Scope();
      return [scope.captureMessage("By a scope without a client"), scope.getClient()];
    },
  },
  {
    name: "what a scope says of itself",
    run: () => {
      const scope = new Sentry.Scope();
      scope.setTags({ a: "1" }).setUser({ id: "1" }).setExtra("b", 2).setContext("c", { d: 3 });
      scope.setFingerprint(["e"]).setLevel("fatal").setTransactionName("f");
      scope.addBreadcrumb({ message: "g", timestamp: 1 });
      scope.setAttributes({ h: 1 });
      const { propagationContext: _, sdkProcessingMetadata: __, ...data } = scope.getScopeData();
      return [data, scope.getUser()];
    },
  },
  {
    name: "a scope's clone is another one",
    run: () => {
      const scope = new Sentry.Scope();
      scope.setTag("a", "1");
      const clone = scope.clone();
      clone.setTag("a", "2");
      return [scope.getScopeData().tags, clone.getScopeData().tags];
    },
  },
  {
    name: "a scope's update, by an object, a function, a scope and null",
    run: () => {
      const other = new Sentry.Scope();
      other.setTag("by", "scope");
      const scope = new Sentry.Scope();
      scope.update({ tags: { a: "1" }, level: "info" });
      scope.update((one) => one.setTag("b", "2"));
      scope.update(other);
      scope.update(wrong(null));
      return scope.getScopeData().tags;
    },
  },
  {
    name: "a scope's attributes, set and removed",
    run: () => {
      const scope = new Sentry.Scope();
      scope.setAttributes({ a: 1, b: "2" }).setAttribute("c", true).removeAttribute("a");
      return scope.getScopeData().attributes;
    },
  },
  {
    name: "setLevel, setFingerprint and setTransactionName of the current scope",
    run: () => {
      Sentry.getCurrentScope()
        .setLevel("fatal")
        .setFingerprint(["{{ default }}", "own"])
        .setTransactionName("named by hand");
      Sentry.captureException(new Error("With a level and a name"));
    },
  },
  {
    name: "addAttachment and clearAttachments",
    run: () => {
      const scope = Sentry.getCurrentScope();
      scope.addAttachment({ filename: "log.txt", data: "a line", contentType: "text/plain" });
      scope.addAttachment({ filename: "bytes", data: new Uint8Array([1, 2]) });
      Sentry.captureMessage("With attachments");
      scope.clearAttachments();
      Sentry.captureMessage("Without attachments");
    },
  },
  {
    name: "clearBreadcrumbs",
    run: () => {
      Sentry.addBreadcrumb({ message: "Cleared" });
      Sentry.getIsolationScope().clearBreadcrumbs();
      Sentry.captureMessage("After cleared breadcrumbs");
    },
  },
  {
    name: "addEventProcessor that changes an event",
    run: () => {
      Sentry.addEventProcessor((event) => {
        if (event.message === "To be processed") event.tags = { ...event.tags, processed: "yes" };
        return event;
      });
      Sentry.captureMessage("To be processed");
    },
  },
  {
    name: "addEventProcessor that drops an event",
    run: () => {
      Sentry.addEventProcessor((event) => (event.message === "To be dropped" ? null : event));
      return Sentry.captureMessage("To be dropped");
    },
  },
  {
    name: "addEventProcessor that takes its time",
    run: () => {
      Sentry.addEventProcessor(async (event) => {
        await Promise.resolve();
        if (event.message === "To be processed later") event.extra = { later: true };
        return event;
      });
      Sentry.captureMessage("To be processed later");
    },
  },
  {
    name: "addEventProcessor that throws",
    run: () => {
      Sentry.getCurrentScope().addEventProcessor((event) => {
        if (event.message === "Not to be processed") throw new Error("In a processor");
        return event;
      });
      return Sentry.captureMessage("Not to be processed");
    },
  },
  {
    name: "addEventProcessor of the current scope, which sees the hint",
    run: () => {
      Sentry.getCurrentScope().addEventProcessor((event, hint) => {
        event.tags = { ...event.tags, original: String(hint.originalException) };
        return event;
      });
      Sentry.captureException(new RangeError("Seen by a processor"));
    },
  },
  {
    name: "addEventProcessor and a feedback",
    run: () => {
      Sentry.addEventProcessor((event) => {
        if (event.type === "feedback") event.tags = { ...event.tags, processed: "feedback" };
        return event;
      });
      Sentry.captureFeedback({ message: "To be processed too" });
    },
  },
  {
    name: "setSDKProcessingMetadata",
    run: () => {
      Sentry.getCurrentScope().setSDKProcessingMetadata({ ours: 1 });
      Sentry.captureMessage("With metadata of the SDK's");
    },
  },
  {
    name: "the three scopes are not one, and stay what they are",
    differs: [{ in: node, what: "gives.2*", why: sdkTwice }],
    run: () => {
      const scopesOfNow = () => [
        Sentry.getCurrentScope(),
        Sentry.getIsolationScope(),
        Sentry.getGlobalScope(),
      ];
      const [first, second] = [scopesOfNow(), scopesOfNow()];
      return [
        first.map((scope, index) => scope === second[index]),
        new Set(first).size,
        first.map((scope) => scope instanceof Sentry.Scope),
      ];
    },
  },
  {
    name: "the current scope has a client",
    run: () => Sentry.getCurrentScope().getClient() !== undefined,
  },
  {
    name: "bindScopeToEmitter",
    in: browser,
    run: () => {
      const target = new EventTarget();
      return Sentry.bindScopeToEmitter(target) === target;
    },
  },
];
