import { Sentry } from "../sentry";
import { browser, node, type Place, type Snippet, sdkTwice, server } from "./snippet";
import { wrong } from "./wrong";

/** What a factory gives: its name, and which methods it has. */
const made = (name: string, make: () => object, places?: readonly Place[]): Snippet => ({
  name: `${name}()`,
  in: places,
  run: () => {
    const one = make() as { name?: unknown };
    return typeof one.name;
  },
});

/** The same, for those whose name is the SDK's from the first line on. */
const named = (name: string, make: () => { name: string }, places?: readonly Place[]): Snippet => ({
  name: `${name}().name`,
  in: places,
  run: () => make().name,
});

class FlagClient {
  isEnabled(flag: string) {
    return flag === "on";
  }
  getVariant() {
    return { name: "a", enabled: true };
  }
}

class Features {
  isOn(flag: string) {
    return flag === "on";
  }
  getFeatureValue(_flag: string, fallback: unknown) {
    return fallback;
  }
}

const factories: Snippet[] = [
  named("breadcrumbsIntegration", () => Sentry.breadcrumbsIntegration({ dom: false }), browser),
  named("browserApiErrorsIntegration", () => Sentry.browserApiErrorsIntegration(), browser),
  named("browserProfilingIntegration", () => Sentry.browserProfilingIntegration(), browser),
  named("browserSessionIntegration", () => Sentry.browserSessionIntegration(), browser),
  named("browserTracingIntegration", () => Sentry.browserTracingIntegration(), browser),
  named("bfcacheMetricsIntegration", () => Sentry.bfcacheMetricsIntegration(), browser),
  named("cultureContextIntegration", () => Sentry.cultureContextIntegration(), browser),
  named("elementTimingIntegration", () => Sentry.elementTimingIntegration(), browser),
  named("feedbackIntegration", () => Sentry.feedbackIntegration({ autoInject: false }), browser),
  named("feedbackAsyncIntegration", () => Sentry.feedbackAsyncIntegration(), browser),
  named("feedbackSyncIntegration", () => Sentry.feedbackSyncIntegration(), browser),
  named(
    "fetchStreamPerformanceIntegration",
    () => Sentry.fetchStreamPerformanceIntegration(),
    browser,
  ),
  named("globalHandlersIntegration", () => Sentry.globalHandlersIntegration(), browser),
  named(
    "graphqlClientIntegration",
    () => Sentry.graphqlClientIntegration({ endpoints: ["/graphql"] }),
    browser,
  ),
  named("httpClientIntegration", () => Sentry.httpClientIntegration(), browser),
  named("httpContextIntegration", () => Sentry.httpContextIntegration(), browser),
  named("interactionsIntegration", () => Sentry.interactionsIntegration(), browser),
  named("replayIntegration", () => Sentry.replayIntegration({ maskAllText: true }), browser),
  named("replayCanvasIntegration", () => Sentry.replayCanvasIntegration(), browser),
  named("reportingObserverIntegration", () => Sentry.reportingObserverIntegration(), browser),
  named("spotlightBrowserIntegration", () => Sentry.spotlightBrowserIntegration(), browser),
  named(
    "thirdPartyErrorFilterIntegration",
    () =>
      Sentry.thirdPartyErrorFilterIntegration({
        filterKeys: ["ours"],
        behaviour: "drop-error-if-contains-third-party-frames",
      }),
    browser,
  ),
  named("userTimingIntegration", () => Sentry.userTimingIntegration(), browser),
  named("viewHierarchyIntegration", () => Sentry.viewHierarchyIntegration({}), browser),
  named("webVitalsIntegration", () => Sentry.webVitalsIntegration(), browser),
  named(
    "webWorkerIntegration",
    () => Sentry.webWorkerIntegration({ worker: wrong(new EventTarget()) }),
    browser,
  ),
  named("moduleMetadataIntegration", () => Sentry.moduleMetadataIntegration(), [
    ...browser,
    "edge",
  ]),
  named("contextLinesIntegration", () => Sentry.contextLinesIntegration(), [...browser, ...node]),
  named("launchDarklyIntegration", () => Sentry.launchDarklyIntegration(), [...browser, ...node]),
  named("openFeatureIntegration", () => Sentry.openFeatureIntegration(), [...browser, ...node]),
  named(
    "unleashIntegration",
    () => Sentry.unleashIntegration({ featureFlagClientClass: wrong(FlagClient) }),
    [...browser, ...node],
  ),
  named(
    "growthbookIntegration",
    () => Sentry.growthbookIntegration({ growthbookClass: wrong(Features) }),
    [...browser, ...node],
  ),
  named(
    "statsigIntegration",
    () => Sentry.statsigIntegration({ featureFlagClient: { on: () => {} } }),
    [...browser, ...node],
  ),
  named("captureConsoleIntegration", () => Sentry.captureConsoleIntegration({ levels: ["error"] })),
  named("consoleIntegration", () => Sentry.consoleIntegration()),
  named("consoleLoggingIntegration", () => Sentry.consoleLoggingIntegration({ levels: ["warn"] })),
  named("dedupeIntegration", () => Sentry.dedupeIntegration()),
  named("eventFiltersIntegration", () => Sentry.eventFiltersIntegration({ ignoreErrors: ["no"] })),
  named("extraErrorDataIntegration", () => Sentry.extraErrorDataIntegration({ depth: 5 })),
  named("featureFlagsIntegration", () => Sentry.featureFlagsIntegration()),
  named("functionToStringIntegration", () => Sentry.functionToStringIntegration()),
  named("linkedErrorsIntegration", () => Sentry.linkedErrorsIntegration({ limit: 7 })),
  named("rewriteFramesIntegration", () => Sentry.rewriteFramesIntegration({ prefix: "app:///" })),
  named("spanStreamingIntegration", () => Sentry.spanStreamingIntegration()),
  named("supabaseIntegration", () => Sentry.supabaseIntegration(wrong({ supabaseClient: {} }))),
  named("zodErrorsIntegration", () => Sentry.zodErrorsIntegration({ limit: 3 })),
  named("requestDataIntegration", () => Sentry.requestDataIntegration(), server),
  named("vercelAIIntegration", () => Sentry.vercelAIIntegration(), server),
  named("httpIntegration", () => Sentry.httpIntegration(), node),
  named("nativeNodeFetchIntegration", () => Sentry.nativeNodeFetchIntegration(), node),
  named("onUncaughtExceptionIntegration", () => Sentry.onUncaughtExceptionIntegration(), node),
  named("onUnhandledRejectionIntegration", () => Sentry.onUnhandledRejectionIntegration(), node),
  named("localVariablesIntegration", () => Sentry.localVariablesIntegration(), node),
  named("nodeContextIntegration", () => Sentry.nodeContextIntegration(), node),
  named("modulesIntegration", () => Sentry.modulesIntegration(), node),
  named("prismaIntegration", () => Sentry.prismaIntegration(), node),
  named("postgresIntegration", () => Sentry.postgresIntegration(), node),
  named("graphqlIntegration", () => Sentry.graphqlIntegration(), node),
  named("openAIIntegration", () => Sentry.openAIIntegration(), node),
  ...(
    [
      ["reactRouterBrowserTracingIntegration", () => Sentry.reactRouterBrowserTracingIntegration],
      [
        "reactRouterV3BrowserTracingIntegration",
        () => Sentry.reactRouterV3BrowserTracingIntegration,
      ],
      [
        "reactRouterV4BrowserTracingIntegration",
        () => Sentry.reactRouterV4BrowserTracingIntegration,
      ],
      [
        "reactRouterV5BrowserTracingIntegration",
        () => Sentry.reactRouterV5BrowserTracingIntegration,
      ],
      [
        "reactRouterV6BrowserTracingIntegration",
        () => Sentry.reactRouterV6BrowserTracingIntegration,
      ],
      [
        "reactRouterV7BrowserTracingIntegration",
        () => Sentry.reactRouterV7BrowserTracingIntegration,
      ],
      [
        "tanstackRouterBrowserTracingIntegration",
        () => Sentry.tanstackRouterBrowserTracingIntegration,
      ],
    ] as const
  ).map(([name, factory]) =>
    made(
      name,
      () => (factory() as (options: object) => object)({ history: {}, router: {} }),
      browser,
    ),
  ),
];

/** One whose code comes late is there some time after the SDK. It is waited for in vain where it never comes. */
async function untilIntegrated(name: string): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (Sentry.getClient()?.getIntegrationByName(name)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const integrations: Snippet[] = [
  ...factories,
  {
    name: "addIntegration of one's own",
    alone: true,
    run: async () => {
      const seen: string[] = [];
      const gives = Sentry.addIntegration({
        name: "Ours",
        setupOnce: () => void seen.push("setupOnce"),
        setup: (client) => void seen.push(`setup ${typeof client.captureException}`),
        afterAllSetup: () => void seen.push("afterAllSetup"),
        processEvent(event) {
          if (event.message === "For ours") event.tags = { ...event.tags, ours: "yes" };
          return event;
        },
        preprocessEvent(event) {
          if (event.message === "For ours") event.extra = { before: true };
        },
      });
      Sentry.captureMessage("For ours");
      await Sentry.flush(30_000);
      return [seen, gives];
    },
  },
  {
    name: "addIntegration twice of one name",
    alone: true,
    run: async () => {
      let count = 0;
      const ours = {
        name: "OursTwice",
        setup() {
          count += 1;
        },
      };
      Sentry.addIntegration(ours);
      Sentry.addIntegration({ ...ours });
      Sentry.captureMessage("After two of one name");
      await Sentry.flush(30_000);
      return count;
    },
  },
  { name: "addIntegration of null", run: () => Sentry.addIntegration(wrong(null)) },
  {
    name: "addIntegration of captureConsoleIntegration, then console.error",
    alone: true,
    differs: [{ in: node, what: "* · breadcrumbs*", why: sdkTwice }],
    run: async () => {
      Sentry.addIntegration(Sentry.captureConsoleIntegration({ levels: ["error"] }));
      Sentry.captureMessage("Before the console");
      await Sentry.flush(30_000);
      await untilIntegrated("CaptureConsole");
      console.error("To the console");
    },
  },
  {
    name: "addIntegration of consoleLoggingIntegration, then console.warn",
    alone: true,
    run: async () => {
      Sentry.addIntegration(Sentry.consoleLoggingIntegration({ levels: ["warn"] }));
      Sentry.captureMessage("Before the console's log");
      await Sentry.flush(30_000);
      await untilIntegrated("ConsoleLogs");
      console.warn("To the log, %s times", 3);
    },
  },
  {
    name: "addIntegration of extraErrorDataIntegration",
    alone: true,
    run: () => {
      Sentry.addIntegration(Sentry.extraErrorDataIntegration());
      Sentry.captureException(Object.assign(new Error("With extra data"), { code: 17 }));
    },
  },
  {
    name: "addIntegration of zodErrorsIntegration",
    alone: true,
    run: () => {
      Sentry.addIntegration(Sentry.zodErrorsIntegration());
      const issues = [{ code: "invalid_type", path: ["email"], message: "Required" }];
      Sentry.captureException(Object.assign(new Error("Of zod"), { name: "ZodError", issues }));
    },
  },
  {
    name: "addIntegration of featureFlagsIntegration, then a flag",
    alone: true,
    run: async () => {
      const flags = Sentry.featureFlagsIntegration();
      Sentry.addIntegration(flags);
      flags.addFeatureFlag("new-cart", true);
      flags.addFeatureFlag("old-cart", false);
      flags.addFeatureFlag("odd-cart", wrong("text"));
      Sentry.captureException(new Error("With flags"));
    },
  },
  {
    name: "the client's featureFlagsIntegration, by name",
    alone: true,
    run: async () => {
      Sentry.addIntegration(Sentry.featureFlagsIntegration());
      Sentry.captureMessage("Before the flag");
      await Sentry.flush(30_000);
      await untilIntegrated("FeatureFlags");
      const flags = Sentry.getClient()?.getIntegrationByName("FeatureFlags") as
        | { addFeatureFlag(name: string, value: unknown): void }
        | undefined;
      flags?.addFeatureFlag("by-name", true);
      Sentry.captureException(new Error("With a flag by name"));
      return typeof flags;
    },
  },
  {
    name: "OpenFeatureIntegrationHook",
    in: [...browser, ...node],
    alone: true,
    differs: [{ in: node, what: "* · breadcrumbs*", why: sdkTwice }],
    run: () => {
      Sentry.addIntegration(Sentry.openFeatureIntegration());
      const hook = new Sentry.OpenFeatureIntegrationHook();
      hook.after(wrong({}), { flagKey: "open", value: true, flagMetadata: {} });
      hook.error(wrong({ flagKey: "failed", defaultValue: false }), new Error("No provider"));
      Sentry.captureException(new Error("With open flags"));
      return hook instanceof Sentry.OpenFeatureIntegrationHook;
    },
  },
  {
    name: "buildLaunchDarklyFlagUsedHandler",
    in: [...browser, ...node],
    alone: true,
    differs: [{ in: node, what: "* · breadcrumbs*", why: sdkTwice }],
    run: () => {
      Sentry.addIntegration(Sentry.launchDarklyIntegration());
      const handler = Sentry.buildLaunchDarklyFlagUsedHandler();
      handler.method("dark", { value: true }, wrong({}));
      Sentry.captureException(new Error("With dark flags"));
      return [handler.name, handler.type, handler.synchronous, typeof handler.method];
    },
  },
  {
    name: "statsigIntegration that hears of a gate",
    in: [...browser, ...node],
    alone: true,
    differs: [{ in: node, what: "* · breadcrumbs*", why: sdkTwice }],
    run: async () => {
      type Listener = (data: { gate: { name: string; value: boolean } }) => void;
      const listeners: Listener[] = [];
      const featureFlagClient = { on: (_: string, listener: Listener) => listeners.push(listener) };
      Sentry.addIntegration(
        Sentry.statsigIntegration({ featureFlagClient: wrong(featureFlagClient) }),
      );
      Sentry.captureMessage("Before the gate");
      await Sentry.flush(30_000);
      await untilIntegrated("Statsig");
      for (const listener of listeners) listener({ gate: { name: "gate", value: true } });
      Sentry.captureException(new Error("With a gate"));
      return listeners.length;
    },
  },
  {
    name: "getDefaultIntegrations",
    run: () => {
      const list = Sentry.getDefaultIntegrations({});
      return [Array.isArray(list), list.map(({ name }) => name).sort()];
    },
  },
  {
    name: "lazyLoadIntegration of a name that is none",
    in: browser,
    run: () => Sentry.lazyLoadIntegration(wrong("oddIntegration")),
  },
  {
    name: "lazyLoadIntegration, without a network",
    in: browser,
    run: () => typeof Sentry.lazyLoadIntegration("contextLinesIntegration").catch(() => {}).then,
  },
  {
    name: "instrumentSupabaseClient",
    run: () => Sentry.instrumentSupabaseClient(wrong({ from: () => {} })),
  },
];
