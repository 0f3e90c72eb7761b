import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";
import { getClient, type NodeClient } from "@sentry/nextjs";
import { parseDsn } from "@signpost/relay";
import { errorResponses, respond, writeErrorResponse } from "@signpost/relay/http";
import { ConfigError, readAll } from "../shared/environment/check-environment.ts";
import {
  type RuntimeConfig,
  readRuntimeConfig,
  runtimeConfig,
  servedOrigin,
} from "../shared/environment/runtime.ts";
import {
  incrementalPatterns,
  type ServedApp,
  servedApp,
  servedPatterns,
} from "../shared/environment/served-app.ts";
import { refuseOldNode } from "../shared/environment/versions.ts";
import { log } from "../shared/log.ts";
import { privateNames } from "../shared/privacy/private-names.ts";
import { patternOf } from "../shared/routes/location.ts";
import { singleton } from "../shared/singleton.ts";
import { type CompletionOptions, completion } from "./complete-envelope.ts";
import { readMachine } from "./machine.ts";
import type { ServerOptions } from "./options.ts";
import { refuseTargets } from "./refuse-targets.ts";
import { browserSettings, rateNow, relay, relayParts, releases } from "./relay.ts";
import { shared } from "./reporting-state.ts";
import { reportCrashes } from "./request-errors.ts";
import { countInFlight, onEachRequest, type RequestStep, serveDirectly } from "./request-steps.ts";
import { startSessions } from "./sessions.ts";
import { shutDownOnSignal } from "./shutdown.ts";
import { startReporting } from "./start-sdk.ts";
import type { ReportStore } from "./waiting-reports.ts";

/** How long a process that crashes waits for its report to be stored. */
const maxFlushMs = 2000;
/** What a process that stops leaves for ending the claims. */
const releaseMs = 1000;
/** How long the first request waits for the name of the system, which errors have. */
const maxReadMs = 1000;

/** What the reporting does with each request, in this order. */
export interface RequestReporting {
  /** Before all that may answer: a server that stops waits for what is in flight. */
  countInFlight: RequestStep;
  /** The tunnel, and the settings of browsers. */
  tunnel: RequestStep[];
  /** What Next can't serve is refused; what it serves is counted and traced, in a scope for Sentry's SDK. */
  pages: RequestStep[];
}

/** What a server of one's own adds. */
interface ServerParts {
  /** Everything that happens to a request before Next sees it, in order, the reporting's part with it. */
  steps?(reporting: RequestReporting, production: boolean): RequestStep[];
}

function parts(): ServerParts {
  return singleton("server parts", () => ({}));
}

const running = () =>
  singleton("running", () => ({ ready: undefined as Promise<void> | undefined }));

/** Call it before the first request, such as in `register`: before `init` or after it. */
export function extendServer(more: ServerParts): void {
  Object.assign(parts(), more);
}

/** What the first request should wait for, at the end of `register`. */
export function serverReady(): Promise<void> | undefined {
  return running().ready;
}

/**
 * Starts Sentry's SDK, the tunnel's way into the outbox, and the delivery out of it. Once in a process,
 * before its first request.
 *
 * @returns the SDK's client
 */
export function init(options: ServerOptions = {}): NodeClient | undefined {
  if (running().ready) return getClient();
  const [config] = configOrExit(() => withOptions(runtimeConfig(), options));
  const { ready, ...reporting } = startReports(config, options);
  running().ready = config.database ? Promise.all([ready, requirePg()]).then(() => {}) : ready;
  onEachRequest(() => {
    const { steps = stepsAlone } = parts();
    return steps(reporting, config.production);
  });
  // Next's development server handles signals well enough.
  // biome-ignore lint/style/noProcessEnv: Next's own, for servers that have handlers of their own
  const ownSignals = Boolean(process.env.NEXT_MANUAL_SIG_HANDLE);
  if (config.production && !ownSignals) shutDownOnSignal(reportPath, config.shutdownNoticeMs);
  return getClient();
}

/** Ends the process where it can't be loaded. It is an optional peer of this package. */
async function requirePg(): Promise<void> {
  try {
    await import("pg");
  } catch (error) {
    configOrExit(() => {
      throw new ConfigError([
        `DATABASE_URL is set, but "pg", the package that connects to Postgres, can't be loaded (${(error as Error).message}): run npm install pg`,
      ]);
    });
  }
}

/**
 * As in the SDK, an option goes before the variable of its name. With a `dsn`, what hangs on one is read
 * again: rates and proxies.
 *
 * @throws {ConfigError}
 */
export function withOptions(
  config: RuntimeConfig,
  options: ServerOptions,
  // biome-ignore lint/style/noProcessEnv: read as runtimeConfig reads it
  env: Record<string, string | undefined> = process.env,
): RuntimeConfig {
  const { dsn, release, environment, tracesSampleRate } = options;
  if (dsn && !parseDsn(dsn)) {
    throw new ConfigError([
      'The option dsn of Sentry.init is not a DSN, as "https://key@host/1" is',
    ]);
  }
  if (dsn) Object.assign(config, readRuntimeConfig({ ...env, SENTRY_DSN: dsn }));
  return Object.assign(config, {
    release: release ?? config.release,
    environment: environment ?? config.environment,
    serverTracesSampleRate: tracesSampleRate ?? config.serverTracesSampleRate,
  });
}

function stepsAlone({ countInFlight, tunnel, pages }: RequestReporting): RequestStep[] {
  return [countInFlight, ...tunnel, ...pages];
}

function startReports(
  config: RuntimeConfig,
  options: ServerOptions,
): RequestReporting & { ready: Promise<void> } {
  const app = servedApp();
  tellMisplaced(config, app);
  const { destination } = options;
  const receive = completing(config, app, options, (...read) => sessions?.readError(...read));
  Object.assign(relayParts(), { destination, receive });
  const scopes = startReporting({
    config,
    ...app,
    store: serverReports,
    takesMeasurements: () => relay().limits.takesMeasurements(),
    options,
  });
  const sessions =
    options.sessions === false ? undefined : startSessions(config, options.excludeFromTracing);
  reportCrashes(flushReports);
  if (config.database) outliveCrashes();
  void relay().start();
  sayEntry();
  // Where the store fails, the release is told of by its pages, as the id of their build.
  void releases()
    .announce()
    .catch(() => {});
  return {
    countInFlight,
    tunnel: [
      serveDirectly(app.tunnelPath, (request, response) => relay().handle(request, response)),
      serveDirectly(`${app.tunnelPath}/settings`, (request, response) =>
        answerSettings(request, response).catch(() => {}),
      ),
    ],
    pages: [
      function answerForDestination(request, response, next) {
        if (!relay().handle(request, response)) next();
      },
      refuseTargets(incrementalPatterns(), [app.basePath, app.assetPath]),
      function countSession(request, response, next) {
        sessions?.count(request, response);
        next();
      },
      (request, response, next) => scopes.serve(request, response, next),
    ],
    ready: Promise.race([readMachine(), delay(maxReadMs, undefined, { ref: false })]),
  };
}

/** What the relay asks of each envelope that a browser has sent. */
function completing(
  config: RuntimeConfig,
  app: ServedApp,
  { allowedNames, privateNames: added }: ServerOptions,
  readError: CompletionOptions["readError"],
) {
  return completion({
    reporting: {
      ...config,
      isPrivate: privateNames(allowedNames, added),
      patternOf: (url) => patternOf({ ...app, patterns: servedPatterns() }, url),
      get browserTracesSampleRate() {
        return rateNow(config.browserTracesSampleRate);
      },
    },
    releaseOf: (build) => releases().ofPage(build),
    readError,
  });
}

/** On a line of its own, beside Next's, for the person who has started the app. */
function sayEntry(): void {
  const { destination, entry } = relay();
  if (!destination || !entry) return;
  const label = destination.charAt(0).toUpperCase() + destination.slice(1);
  process.stdout.write(`\n  ${label.padEnd(9)}${servedOrigin()}${entry}\n`);
}

/** Logs what would otherwise be noticed late: no build where the server looks for it. */
export function tellMisplaced(
  { production, build }: Pick<RuntimeConfig, "production" | "build">,
  { distDir }: Pick<ServedApp, "distDir">,
): void {
  // The id stands for none.
  if (production && build === "development") {
    const advice = "Start the server in the app's folder. Release and source lines are lacking.";
    log("error", "no build", { folder: distDir, advice });
  }
}

/** The part of the run-time configuration that the browser's reporting needs. */
async function answerSettings(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A body that nobody reads would take memory for each of its chunks until the store has answered.
  request.resume();
  if (request.method !== "GET" && request.method !== "HEAD") {
    return writeErrorResponse(request, response, errorResponses.wrongMethod("GET, HEAD"));
  }
  const { searchParams } = new URL(request.url ?? "", "http://localhost");
  const { body, cacheControl } = await browserSettings(searchParams.get("build"));
  return respond(request, response, {
    status: 200,
    headers: { "Cache-Control": cacheControl },
    body,
  });
}

/** Where the server's own reports go: the same way as those of browsers. */
const serverReports: ReportStore = {
  append: (envelope) => relay().append(envelope),
  countDrops: (drops) => relay().outbox.countDrops(drops),
};

/** @see reportCrashes */
function flushReports(mayEnd: boolean): void {
  shared().reporter?.flush();
  const { outbox } = relay();
  void (mayEnd ? outbox.flushNow() : outbox.flush());
}

/**
 * Keeps a process that crashes alive until its report is stored, for an outbox that needs time for
 * that. If another listener is there, as Next's is, that one decides whether the process ends.
 */
function outliveCrashes(): void {
  process.on("uncaughtException", (error) => {
    if (process.listenerCount("uncaughtException") > 1) return;
    // As Node does without a listener.
    process.stderr.write(`Uncaught ${inspect(error)}\n`);
    const end = () => process.exit(1);
    setTimeout(end, maxFlushMs);
    void relay().outbox.flushNow().finally(end);
  });
}

/** What a process that stops ends, for `shutDownOnSignal`. */
const reportPath = {
  stopClaiming: (maxMs: number) => relay().stopClaiming(maxMs - releaseMs),
  /** Writes all reports to disk, and delivers what can be delivered at once. */
  async settle(maxMs: number): Promise<void> {
    shared().reporter?.flush();
    await relay().stop(maxMs - releaseMs);
  },
};

/**
 * The configuration. With one that can't be used, the process ends with exit code 1, and with one message for
 * all that is wrong.
 *
 * @param readers each throws a `ConfigError`
 */
export function configOrExit<T extends unknown[]>(...readers: { [K in keyof T]: () => T[K] }): T {
  refuseOldNode();
  try {
    return readAll<T>(...readers);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
