import { hostname } from "node:os";
import { join } from "node:path";
import { runtimeConfig } from "../shared/environment/runtime.ts";
import { servedApp, servedPatterns } from "../shared/environment/served-app.ts";
import { log } from "../shared/log.ts";
import { patternOf } from "../shared/routes/location.ts";
import { singleton } from "../shared/singleton.ts";
import type { Destination } from "./delivery/destination.ts";
import { Dispatcher } from "./delivery/dispatcher.ts";
import { noticeOthers } from "./delivery/one-destination.ts";
import { Service, type ServiceRefusal } from "./delivery/service.ts";
import { ServiceLimits } from "./delivery/service-limits.ts";
import { type NameOptions, privateNames } from "./envelope/private-names.ts";
import { bodyMemory } from "./http/body-memory.ts";
import { ClientLimit, feedbackRate } from "./http/client-limit.ts";
import { refusals } from "./http/refusals.ts";
import type { Driver } from "./outbox/driver.ts";
import { Outbox } from "./outbox/outbox.ts";
import { PostgresDriver } from "./outbox/postgres-driver.ts";
import { schemaOf } from "./outbox/schema.ts";
import { SqliteDriver } from "./outbox/sqlite-driver.ts";
import type { TableSet } from "./outbox/table-sets.ts";
import { resolveEnvelope } from "./source-maps/resolve-envelope.ts";
import { Releases } from "./tunnel/releases.ts";
import { Tunnel } from "./tunnel/tunnel.ts";

/* The relay of this process, as configured: its outbox, what delivers from it, and its tunnel. */

const maxBytes = 256 * 1024 * 1024;

interface OutboxState {
  outbox: Outbox | undefined;
  /** What other parts of the process have told it before it was opened. */
  tables: TableSet[];
}

function outboxState(): OutboxState {
  return singleton("outbox", () => ({ outbox: undefined, tables: [] }));
}

/**
 * The outbox of this process, opened at its first use.
 *
 * @throws {import("../shared/environment/check-environment.ts").ConfigError}
 */
export function outbox(): Outbox {
  const state = outboxState();
  const { dsn, resolveStacks, release, database, outboxRetentionHours } = runtimeConfig();
  state.outbox ??= new Outbox(driver(state), {
    maxBytes,
    maxAgeMs: outboxRetentionHours * 3_600_000,
    log,
    // Only a process of its release has the source maps of an error.
    ...((resolveStacks || !dsn) && { release }),
    // Otherwise all reports are of one machine.
    ...(database && { server: hostname() }),
  });
  return state.outbox;
}

function driver({ tables }: OutboxState): Driver {
  const { dataDir, database } = runtimeConfig();
  const schema = schemaOf(...tables);
  if (database) return new PostgresDriver({ ...database, tables: schema, log });
  // Otherwise the build copies each file of this name below the project into the standalone folder.
  const file = join(/* turbopackIgnore: true */ dataDir, "outbox.db");
  return new SqliteDriver({ file, schema, log });
}

/** Adds tables to the outbox's store. Must be called before the first use of `outbox`. */
export function addTables(tables: TableSet): void {
  outboxState().tables.push(tables);
}

interface DeliveryState {
  limits: ServiceLimits;
  dispatcher?: Dispatcher | undefined;
  service?: Service | undefined;
}

export interface StartOptions {
  /** Where reports go that no service gets. Without one, they wait until they are too old. */
  elsewhere?: () => Destination;
}

function delivery(): DeliveryState {
  return singleton("delivery", () => ({
    limits: new ServiceLimits(undefined, runtimeConfig().feedbackAsEvent),
  }));
}

/** What the service has asked not to be sent, as far as this process knows. */
export function serviceLimits(): ServiceLimits {
  return delivery().limits;
}

/** @returns a sample rate as it holds now: 0 while the service takes no measurements */
export function rateNow(rate: number): number {
  return serviceLimits().takesMeasurements() ? rate : 0;
}

export function startDelivery({ elsewhere }: StartOptions = {}): void {
  const shared = delivery();
  if (shared.dispatcher) return;
  const { limits } = shared;
  shared.service = configuredService(limits);
  const destination = shared.service ?? elsewhere?.();
  const notice = noticeOthers(outbox().driver, runtimeConfig().dsn, log);
  const jobs = [notice];
  shared.dispatcher = new Dispatcher({ outbox: outbox(), destination, limits, log, jobs });
  shared.dispatcher.start();
  void shared.service?.ask();
}

/** When what the service limits ends, as ISO time by category; `all` is a limit on everything. */
export function serviceLimited(): Record<string, string> | undefined {
  const all = Object.entries(serviceLimits().remaining());
  if (all.length === 0) return undefined;
  const now = Date.now();
  return Object.fromEntries(all.map(([name, ms]) => [name, new Date(now + ms).toISOString()]));
}

/** Why the service takes nothing, if it has said so to this process. */
export function serviceRefusal(): ServiceRefusal | undefined {
  return delivery().service?.refusal;
}

function configuredService(limits: ServiceLimits): Service | undefined {
  const { dsn, resolveStacks, feedbackAsEvent, proxy } = runtimeConfig();
  if (!dsn) return undefined;
  return new Service(dsn, {
    limits,
    log,
    setAside: (reason, cause) => outbox().setAside(reason, cause),
    feedbackAsEvent,
    proxy,
    ...(resolveStacks && { resolve: (report) => resolveEnvelope(report) }),
  });
}

/**
 * Delivers what can be delivered at once.
 *
 * @param maxMs maximum time
 * @returns false if this process is stopping
 */
export async function deliverNow(maxMs: number): Promise<boolean> {
  const { dispatcher } = delivery();
  await dispatcher?.deliverNow(maxMs);
  return dispatcher !== undefined;
}

/** @see Dispatcher.stopClaiming */
export function stopClaiming(maxMs: number): void {
  delivery().dispatcher?.stopClaiming(maxMs);
}

/**
 * Delivers what can be delivered at once, then stores everything in memory. The outbox
 * still accepts reports afterwards; the next start delivers them.
 *
 * @param maxMs see `Dispatcher.stop`
 */
export async function stopDelivery(maxMs = 1500): Promise<void> {
  const shared = delivery();
  const { dispatcher } = shared;
  shared.dispatcher = undefined;
  await dispatcher?.stop(maxMs);
  await outbox().flush();
}

/** What the dispatcher does: while it pauses, the service or the inbox has just taken nothing. */
export type DispatcherState = "delivering" | "pausing" | "stopped";

export function dispatcherState(): DispatcherState {
  const { dispatcher } = delivery();
  if (!dispatcher) return "stopped";
  return dispatcher.isPaused ? "pausing" : "delivering";
}

/** Which release each build is, as this process knows it. */
export function releases(): Releases {
  return singleton("releases", () => {
    const { build, release } = runtimeConfig();
    return new Releases({ build, release, driver: () => outbox().driver });
  });
}

/** What the options of `init` say of names, for reports that leave a browser without the SDK. */
export function setPrivateNames(options: NameOptions): void {
  Object.assign(names(), options);
}

function names(): NameOptions {
  return singleton("private names", () => ({}));
}

/** How many messages visitors may send: by a form of the app's, and through the tunnel. */
export function feedbackLimit(): ClientLimit {
  return singleton("feedback limit", () => new ClientLimit(feedbackRate));
}

/**
 * The tunnel of this process, as configured.
 *
 * @throws {import("../shared/environment/check-environment.ts").ConfigError}
 */
export function tunnel(): Tunnel {
  return singleton("tunnel", () => {
    const config = runtimeConfig();
    return new Tunnel({
      append: (envelope, origin, details) => outbox().append(envelope, origin, details),
      limits: serviceLimits(),
      maxBytes: config.tunnelMaxBytes,
      memory: bodyMemory(),
      rate: config.tunnelRate,
      feedbackLimit: feedbackLimit(),
      trustedProxies: config.trustedProxies,
      reporting: {
        ...config,
        isPrivate: privateNames(names().allowedNames, names().privateNames),
        patternOf: (url) => patternOf({ ...servedApp(), patterns: servedPatterns() }, url),
        get browserTracesSampleRate() {
          return rateNow(config.browserTracesSampleRate);
        },
      },
      releaseOf: (build) => releases().ofPage(build),
      reportClientIp: config.reportClientIp,
      log,
      onRefused: (reason) => refusals().note("envelopes", reason),
    });
  });
}
