import { Sentry } from "../sentry";
import { browser, node, type Snippet, server } from "./snippet";
import { wrong } from "./wrong";

/** Takes envelopes, and sends none. */
const recording = () => {
  const sent: unknown[] = [];
  const transport = () => ({
    send: async (envelope: [unknown, [[{ type: string }, unknown]]]) => {
      for (const [{ type }] of envelope[1]) sent.push(type);
      return {};
    },
    flush: async () => true,
  });
  return { sent, transport };
};

export const client: Snippet[] = [
  {
    name: "getClient",
    run: () => typeof Sentry.getClient()?.captureException,
  },
  {
    name: "getClient's options",
    run: () => {
      const { release, environment, tracesSampleRate } = Sentry.getClient()?.getOptions() ?? {};
      return { release, environment, tracesSampleRate };
    },
  },
  { name: "getClient's DSN", run: () => typeof Sentry.getClient()?.getDsn()?.host },
  {
    name: "getClient's metadata",
    run: () => Sentry.getClient()?.getSdkMetadata()?.sdk?.name,
  },
  {
    name: "getClient's capture methods",
    run: () => [
      Sentry.getClient()?.captureException(new Error("By the client")),
      Sentry.getClient()?.captureMessage("By the client"),
      Sentry.getClient()?.captureEvent({ message: "By the client, an event" }),
    ],
  },
  {
    name: "getClient's hooks",
    alone: true,
    run: async () => {
      const seen: string[] = [];
      const off = Sentry.getClient()?.on("beforeSendEvent", ({ message }) => {
        if (message) seen.push(message);
      });
      Sentry.captureMessage("For a hook");
      await Sentry.flush(30_000);
      off?.();
      return seen;
    },
  },
  {
    name: "getClient's event processor",
    run: () => {
      Sentry.getClient()?.addEventProcessor((event) => {
        if (event.message === "For the client's") event.tags = { ...event.tags, by: "client" };
        return event;
      });
      Sentry.captureMessage("For the client's");
    },
  },
  {
    name: "getClient's integration, by name",
    run: () => [
      Sentry.getClient()?.getIntegrationByName("LinkedErrors")?.name,
      Sentry.getClient()?.getIntegrationByName("Nobody"),
    ],
  },
  {
    name: "setCurrentClient of the client that is there",
    run: () => {
      const present = Sentry.getClient();
      if (present) Sentry.setCurrentClient(present);
      Sentry.captureMessage("With the same client");
    },
  },
  { name: "isInitialized", run: () => Sentry.isInitialized() },
  { name: "isEnabled", run: () => Sentry.isEnabled() },
  { name: "flush", alone: true, run: () => Sentry.flush(2000) },
  { name: "flush without a time", alone: true, run: () => Sentry.flush() },
  {
    name: "flush after a capture",
    alone: true,
    run: () => {
      Sentry.captureMessage("To be flushed");
      return Sentry.flush(30_000);
    },
  },
  {
    name: "flush, never awaited",
    alone: true,
    run: () => {
      Sentry.captureMessage("Flushed, and not waited for");
      void Sentry.flush(30_000);
    },
  },
  { name: "SDK_VERSION", run: () => Sentry.SDK_VERSION },
  {
    name: "MULTIPLEXED_TRANSPORT_EXTRA_KEY",
    in: browser,
    run: () => Sentry.MULTIPLEXED_TRANSPORT_EXTRA_KEY,
  },
  { name: "WINDOW", in: browser, run: () => Sentry.WINDOW === wrong(window) },
  {
    name: "defaultStackParser",
    in: [...browser, ...node],
    run: () =>
      Sentry.defaultStackParser(
        "Error: parsed\n    at inner (http://a.example/a.js:1:2)\n    at http://a.example/b.js:3:4",
      ).map((frame) => [frame.function, frame.lineno]),
  },
  {
    name: "defaultStackLineParsers",
    in: browser,
    run: () => Sentry.defaultStackLineParsers.map(([priority]) => priority),
  },
  {
    name: "chromeStackLineParser",
    in: browser,
    run: () => Sentry.chromeStackLineParser[1]("    at inner (http://a.example/a.js:1:2)"),
  },
  {
    name: "eventFromException",
    in: browser,
    run: async () => {
      const event = await Sentry.eventFromException(() => [], new TypeError("Made an event"));
      return event.exception?.values?.map(({ type, value }) => [type, value]);
    },
  },
  {
    name: "eventFromMessage",
    in: browser,
    run: async () => {
      const { message, level } = await Sentry.eventFromMessage(
        () => [],
        "Made an event",
        "warning",
      );
      return { message, level };
    },
  },
  {
    name: "exceptionFromError",
    in: browser,
    run: () => {
      const { type, value } = Sentry.exceptionFromError(
        () => [],
        new RangeError("Made an exception"),
      );
      return { type, value };
    },
  },
  {
    name: "createTransport",
    run: async () => {
      const transport = Sentry.createTransport({ recordDroppedEvent: () => {} }, async () => ({
        statusCode: 200,
      }));
      const envelope = [{}, [[{ type: "event" }, { event_id: "1" }]]];
      const { statusCode } = await transport.send(wrong(envelope));
      return [Object.keys(transport).sort(), statusCode, await transport.flush(100)];
    },
  },
  {
    name: "makeFetchTransport",
    in: browser,
    run: () => {
      const make = () =>
        Sentry.makeFetchTransport({ url: "/nowhere", recordDroppedEvent: () => {} });
      return Object.keys(make()).sort();
    },
  },
  {
    name: "makeBrowserOfflineTransport",
    in: browser,
    run: () => {
      const make = Sentry.makeBrowserOfflineTransport(Sentry.makeFetchTransport);
      return [
        typeof make,
        Object.keys(make({ url: "/nowhere", recordDroppedEvent: () => {} })).sort(),
      ];
    },
  },
  {
    name: "makeMultiplexedTransport",
    in: browser,
    run: () => {
      const make = Sentry.makeMultiplexedTransport(Sentry.makeFetchTransport, () => []);
      return [
        typeof make,
        Object.keys(make({ url: "/nowhere", recordDroppedEvent: () => {} })).sort(),
      ];
    },
  },
  {
    name: "a BrowserClient of one's own, with its own scope",
    in: browser,
    run: async () => {
      const { sent, transport } = recording();
      const own = new Sentry.BrowserClient({
        dsn: "http://0123456789abcdef0123456789abcdef@service.example/43",
        transport: wrong(transport),
        stackParser: Sentry.defaultStackParser,
        integrations: [],
      });
      const scope = new Sentry.Scope();
      scope.setClient(own);
      own.init();
      scope.setTag("of", "another client");
      scope.captureException(new Error("By another client"));
      await own.flush(1000);
      return [sent, Sentry.getClient() === wrong(own)];
    },
  },
  {
    name: "createUserFeedbackEnvelope",
    in: browser,
    run: () => {
      const [, items] = Sentry.createUserFeedbackEnvelope(
        { event_id: "0123456789abcdef0123456789abcdef", email: "", name: "Ada", comments: "Fine" },
        { metadata: undefined, tunnel: undefined, dsn: undefined },
      );
      return items.map(([header]) => header.type);
    },
  },
  {
    name: "sendFeedback",
    in: browser,
    run: async () => typeof (await Sentry.sendFeedback({ message: "Sent as feedback" })),
  },
  {
    name: "sendFeedback of nothing",
    in: browser,
    run: () => Sentry.sendFeedback({ message: "" }),
  },
  { name: "getFeedback", in: browser, run: () => typeof Sentry.getFeedback() },
  { name: "getReplay", in: browser, run: () => typeof Sentry.getReplay() },
  {
    name: "showReportDialog",
    in: browser,
    differs: [
      {
        what: "gives*",
        why: "Sentry's servers show the dialog, and no report goes there: feedbackIntegration has a form.",
      },
    ],
    run: () => {
      Sentry.captureException(new Error("With a dialog"));
      Sentry.showReportDialog({ title: "What happened?" });
      const script = document.querySelector<HTMLScriptElement>('script[src*="error-page"]');
      const src = script?.src.replace(/.*(?=\/error-page)/, "");
      script?.remove();
      return src;
    },
  },
  {
    name: "forceLoad and onLoad",
    in: browser,
    run: () => {
      const seen: string[] = [];
      Sentry.forceLoad();
      Sentry.onLoad(() => void seen.push("loaded"));
      return seen;
    },
  },
  {
    name: "diagnoseSdkConnectivity",
    in: browser,
    run: () => typeof Sentry.diagnoseSdkConnectivity().then,
  },
  {
    name: "isBotUserAgent and getAbsoluteUrl",
    in: browser,
    run: () => [Sentry.isBotUserAgent(), Sentry.getAbsoluteUrl("/a").endsWith("/a")],
  },
  {
    name: "route providers",
    in: browser,
    run: () => [
      typeof Sentry.createUrlRouteProvider(() => undefined),
      typeof Sentry.getRouteProvider(),
    ],
  },
  {
    name: "uiProfiler",
    in: browser,
    run: () => [Sentry.uiProfiler.startProfiler(), Sentry.uiProfiler.stopProfiler()],
  },
  {
    name: "instrumentOutgoingRequests",
    in: browser,
    alone: true,
    run: () => {
      const present = Sentry.getClient();
      return present && Sentry.instrumentOutgoingRequests(present);
    },
  },
  {
    name: "defaultRequestInstrumentationOptions",
    in: browser,
    run: () => Sentry.defaultRequestInstrumentationOptions,
  },
  {
    name: "startSession, captureSession and endSession",
    in: [...browser, ...node],
    run: () => {
      const session = Sentry.startSession({ user: { id: "17" } });
      Sentry.captureSession();
      Sentry.endSession();
      return [typeof session?.sid, session?.status];
    },
  },
  {
    name: "wrappers of Next's functions",
    run: async () => {
      const page = () => "page";
      return [
        typeof Sentry.wrapGetServerSidePropsWithSentry(wrong(page), "/p"),
        typeof Sentry.wrapGetStaticPropsWithSentry(wrong(page), "/p"),
        typeof Sentry.wrapGetInitialPropsWithSentry(wrong(page)),
        typeof Sentry.wrapAppGetInitialPropsWithSentry(wrong(page)),
        typeof Sentry.wrapDocumentGetInitialPropsWithSentry(wrong(page)),
        typeof Sentry.wrapErrorGetInitialPropsWithSentry(wrong(page)),
        typeof Sentry.wrapPageComponentWithSentry(wrong(page)),
        typeof Sentry.wrapMiddlewareWithSentry(wrong(page)),
      ];
    },
  },
  {
    name: "wrapApiHandlerWithSentry keeps the handler's answer",
    in: server,
    run: () =>
      typeof Sentry.wrapApiHandlerWithSentry(
        wrong(() => "answer"),
        "/api/p",
      ),
  },
  {
    name: "withServerActionInstrumentation",
    differs: [
      {
        in: ["after"],
        what: "transaction serverAction/action",
        why: "In a browser its callback runs, and no more.",
      },
    ],
    run: () =>
      Sentry.withServerActionInstrumentation(
        "action",
        { recordResponse: true },
        () => "given back",
      ),
  },
  {
    name: "captureCheckIn",
    in: server,
    run: () => {
      const checkInId = Sentry.captureCheckIn(
        { monitorSlug: "nightly", status: "in_progress" },
        { schedule: { type: "crontab", value: "0 3 * * *" }, maxRuntime: 5, timezone: "Etc/UTC" },
      );
      return (
        Sentry.captureCheckIn({ checkInId, monitorSlug: "nightly", status: "ok" }) === checkInId
      );
    },
  },
  {
    name: "withMonitor",
    in: server,
    run: () => Sentry.withMonitor("hourly", () => "given back"),
  },
  {
    name: "withMonitor of a callback that rejects",
    in: server,
    run: () =>
      Sentry.withMonitor(
        "failing",
        async () => {
          throw new Error("In a monitor");
        },
        { schedule: { type: "interval", value: 1, unit: "hour" } },
      ),
  },
  {
    name: "cron.instrumentNodeCron",
    in: node,
    run: () =>
      typeof Sentry.cron.instrumentNodeCron(wrong<{ schedule(): void }>({ schedule() {} }))
        .schedule,
  },
  {
    name: "getSentryRelease",
    in: node,
    run: () => typeof Sentry.getSentryRelease("fallback"),
  },
  {
    name: "init a second time",
    differs: [
      {
        in: browser,
        what: "message After a second init",
        why: "The first init counts, and others change nothing.",
      },
    ],
    alone: true,
    run: () => {
      const before = Sentry.getClient();
      const second = Sentry.init({});
      Sentry.captureMessage("After a second init");
      return [typeof before, typeof second];
    },
  },
  {
    name: "close",
    alone: true,
    run: async () => {
      Sentry.captureMessage("Before the end");
      const gives = await Sentry.close(20_000);
      Sentry.captureMessage("After the end");
      return [gives, Sentry.isEnabled()];
    },
  },
];
