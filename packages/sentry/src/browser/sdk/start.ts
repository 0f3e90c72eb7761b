// First, as in first-load/init.ts: what both parts import in the same order, the bundler makes one module of.
// Any other order makes several, which take 0.2 kB more of every page.
import {
  callsOnClient,
  dropped,
  enter,
  type Methods,
  started,
  state,
  takeErrors,
} from "../first-load/error-queue.ts";
import { guarded } from "../first-load/page-load.ts";

// `@sentry/browser` is the browser half of `@sentry/nextjs`, which also imports next/router: that
// splits the framework's chunk and costs the first load of every page a kilobyte.

import {
  type BrowserClient,
  type BrowserOptions,
  getDefaultIntegrations,
  getGlobalScope,
  init,
  withActiveSpan,
  withScope,
} from "@sentry/browser";
import {
  applySdkMetadata,
  createClientReportEnvelope,
  getDefaultCurrentScope,
  type Integration,
  Scope,
} from "@sentry/core";
import { version } from "react";
import { onOtherClient, otherClient } from "../../shared/other-client.ts";
import { privateNames } from "../../shared/privacy/private-names.ts";
import { scrubbing } from "../../shared/privacy/scrub-envelope.ts";
import { readUserAgent } from "../../shared/user-agent.ts";
import type { ClientOptions } from "../client-options.ts";
import type { EarlyActivity } from "../first-load/activity.ts";
import { loadNames } from "../first-load/named.ts";
import { type LateIntegration, sdk } from "../first-load/sdk-link.ts";
import { isVisitSampled, replaysTab } from "../first-load/visit.ts";
import { onLeave, tunnelPath } from "../first-load/without-sdk.ts";
import { leaveBreadcrumbs } from "./early-activity.ts";
import * as running from "./error-events.ts";
import { sendLastInteraction } from "./interaction.ts";
import { fetchSettings } from "./settings.ts";
import {
  completeTransaction,
  continueTrace,
  leftAt,
  loadedUrl,
  routeProvider,
  traceNavigations,
  traceXhr,
  tracing,
} from "./tracing.ts";
import { tunnelTransport } from "./transport.ts";

/**
 * Of Sentry's default integrations. The page itself hears errors, from its first line on, and the server
 * counts sessions. An error that happens three times is three events.
 */
const unwanted = /^(BrowserApiErrors|BrowserSession|Dedupe|GlobalHandlers)$/;

// biome-ignore lint/suspicious/noConsole: said to whoever writes the app
const tellOther = () => console.warn(otherClient);

/** Those that are there: one whose code can't be loaded is left out. */
function arrived(
  given: BrowserOptions["integrations"] = [],
  defaults: Integration[],
): BrowserOptions["integrations"] {
  const isList = Array.isArray(given);
  // The SDK takes one alone, too.
  const all = isList ? given : [given(defaults)].flat();
  const there = all.filter(({ late }: LateIntegration) => !late);
  return isList ? there : () => there;
}

/**
 * The SDK looks by its text whether `fetch` is the browser's, and where it is wrapped, whether an iframe's
 * is: one that the page would see come and go, and that some policies block.
 */
function asBrowsersFetch<T>(run: () => T): T {
  const { fetch } = window;
  const tell = { value: () => "function fetch() { [native code] }", configurable: true };
  const told =
    typeof fetch === "function" &&
    !Reflect.getOwnPropertyDescriptor(fetch, "toString") &&
    Reflect.defineProperty(fetch, "toString", tell);
  try {
    return run();
  } finally {
    if (told) Reflect.deleteProperty(fetch, "toString");
  }
}

/**
 * The SDK hears clicks and keys on `document`, after React's listener at the root: the error of a handler
 * would come first. But to what listens from now on, it adds a listener of its own before.
 */
function hearBeforeReact(): void {
  for (const type of ["click", "keypress"]) document.addEventListener(type, () => {}, true);
}

/** What was called on the client that `init` gives. Errors wait in the queue. */
function callOn(client: BrowserClient, [name, args]: (typeof callsOnClient)[number]): void {
  if (name === "captureException") return;
  const hear = (...given: unknown[]) => (args[1] as Methods[string])?.(...given);
  (client as unknown as Methods)[name]?.(...(name === "on" ? [args[0], hear] : args));
}

/** An integration whose code comes late is added once that is there. */
function addWhenThere(client: BrowserClient): void {
  const add = client.addIntegration.bind(client);
  client.addIntegration = (integration: LateIntegration) => {
    const late = integration?.late;
    if (late) late.on(add);
    else add(integration);
  };
}

/**
 * Starts Sentry's SDK in the browser with the team's options, and hands over what waits for it. This
 * file and all that only it imports are loaded lazily.
 *
 * @param activities clicks and navigations on the page so far; later ones are added
 * @param options those of `init`
 * @param isReplayed whether the visit is drawn for a replay
 */
export async function start(
  activities: readonly EarlyActivity[],
  { allowedNames, privateNames: added, ...options }: ClientOptions = {},
  isReplayed = false,
): Promise<void> {
  const { release, environment, tracesSampleRate } = await fetchSettings();
  const sampled = await isVisitSampled(tracesSampleRate);
  const { initialScope, tracePropagationTargets } = options;
  await loadNames(running);
  // The app has closed what would be started.
  if (state === "off") return;
  const defaultIntegrations = [
    ...getDefaultIntegrations({}).filter(({ name }) => !unwanted.test(name)),
    ...(sampled ? [tracing(Boolean(tracePropagationTargets))] : []),
  ];
  const given: BrowserOptions = {
    // With a stack, services title a message by the function that has sent it.
    attachStacktrace: false,
    routeProvider,
    // Most would tell of requests outside of a trace, which nobody misses.
    sendClientReports: false,
    ...options,
    initialScope: undefined,
    // The visit is drawn. Replay draws for itself only in a tab in which it has begun.
    ...(!replaysTab() && { replaysSessionSampleRate: Number(isReplayed) }),
    beforeSend: running.limited(options.beforeSend),
    // Names no project: delivery puts in the one that the server is configured with.
    dsn: `${location.protocol}//browser@${location.host}/0`,
    tunnel: tunnelPath,
    transport: scrubbing(tunnelTransport, privateNames(allowedNames, added)),
    release: options.release ?? release,
    environment: options.environment ?? environment,
    // The visit is sampled, with all that happens in it, or nothing of it is.
    tracesSampleRate: sampled ? 1 : undefined,
    tracesSampler: sampled ? options.tracesSampler : undefined,
    // Older and other Sentry-compatible services know transactions, but not streamed spans.
    traceLifecycle: "static",
    // A team's own integration of the same name takes the place of one of these.
    defaultIntegrations,
    integrations: arrived(options.integrations, defaultIntegrations),
    dataCollection: {
      userInfo: false,
      cookies: false,
      httpHeaders: false,
      httpBodies: [],
      urlQueryParams: false,
    },
  };
  applySdkMetadata(given, "nextjs", ["nextjs", "react"]);
  // Not in the scope of a callback from before, which may not have settled yet.
  withScope(getDefaultCurrentScope(), (scope) => {
    // What has stood for the SDK's client: `init` warns where there is one.
    const interim = scope.getClient();
    if (interim?.getDsn()) tellOther();
    scope.setClient(undefined);
    let client: BrowserClient;
    try {
      // One of functions/'s takes none of the SDK's own, which is of another copy of the class.
      running.addToGlobalScope(
        initialScope instanceof Scope ? initialScope.getScopeData() : initialScope,
      );
      client = asBrowsersFetch(() => init(given)) as BrowserClient;
    } catch (error) {
      // Half an SDK would drop captures.
      scope.setClient(interim);
      throw error;
    }
    addWhenThere(client);
    hearBeforeReact();
    const contexts = { react: { version }, ...readUserAgent(String(navigator.userAgent)) };
    running.addToGlobalScope({ contexts });
    getGlobalScope().addEventProcessor(completeTransaction);
    running.completeErrorEvents(client);
    guarded(leaveBreadcrumbs)(activities, new URL(loadedUrl()).pathname);
    const { dsc } = continueTrace();
    // Within a sampled visit the SDK samples everything. The service multiplies by the rate of visits.
    client.on("createDsc", (created) => {
      if (created.sample_rate)
        created.sample_rate = String(
          dsc?.sample_rate ?? options.tracesSampleRate ?? tracesSampleRate,
        );
    });
    if (sampled) {
      guarded(traceNavigations)(client, activities);
      if (!tracePropagationTargets) guarded(traceXhr)(client);
      guarded(sendLastInteraction)(activities);
    }
    let told = 0;
    onLeave(() => {
      const quantity = dropped - told;
      if (!quantity) return;
      told = dropped;
      const discarded = { reason: "queue_overflow", category: "error", quantity } as const;
      void client.sendEnvelope(createClientReportEnvelope([discarded]));
    });
    onOtherClient(scope, tellOther);
    started.client = client;
    // An integration of the app's whose setup throws takes nothing else along.
    callsOnClient.splice(0).forEach(guarded((call) => callOn(client, call)));
    sdk.come(running);
    void loadNames(running);
    for (const reported of takeErrors()) {
      if (reported.at < leftAt(activities)) running.captureReported(reported, true);
      // It is no failure of the page load, whose span is the active one.
      else withActiveSpan(null, () => running.captureReported(reported, true));
    }
    enter("running", () => {
      for (const reported of takeErrors()) running.captureReported(reported);
    });
  });
}
