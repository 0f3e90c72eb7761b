import type { IncomingMessage, ServerResponse } from "node:http";
import { hostname } from "node:os";
import { join } from "node:path";
import { Dispatcher } from "./delivery/dispatcher.ts";
import type { DestinationContext, OpenDestination } from "./delivery/embedded-destination.ts";
import { Housekeeping } from "./delivery/housekeeping.ts";
import { Service, type ServiceRefusal } from "./delivery/service.ts";
import { ServiceLimits } from "./delivery/service-limits.ts";
import type { Dsn } from "./dsn.ts";
import { BodyMemory } from "./http/body-memory.ts";
import type { Client } from "./http/client.ts";
import { clientReader } from "./http/client-address.ts";
import { ClientLimit, feedbackRate } from "./http/rates.ts";
import { Refusals } from "./http/refusals.ts";
import { tellUntrustedProxy } from "./http/untrusted-proxy.ts";
import type { Log } from "./log.ts";
import type { Driver } from "./outbox/driver.ts";
import { Outbox } from "./outbox/outbox.ts";
import { PostgresDriver } from "./outbox/postgres-driver.ts";
import { SqliteDriver } from "./outbox/sqlite-driver.ts";
import { type OutboxStats, Stats } from "./outbox/stats.ts";
import { hasNewest, outboxTables, type TableSet } from "./outbox/tables.ts";
import { type CheckedOptions, checkOptions, type RelayOptions } from "./relay-options.ts";
import type { FrameResolver } from "./source-maps/frames.ts";
import { mapResolver } from "./source-maps/map-thread.ts";
import { resolveEnvelope } from "./source-maps/resolve-envelope.ts";
import { Tunnel } from "./tunnel/tunnel.ts";

/** While it pauses, the destination has just taken nothing. */
export type DeliveryState = "delivering" | "pausing" | "stopped";

export interface RelayStatus extends OutboxStats {
  delivery: DeliveryState;
  /** Why the service takes nothing, if it has said so to this process. */
  refusal: ServiceRefusal | undefined;
  /** When what the service limits ends, as ISO time by category; `all` is a limit on everything. */
  limited: Record<string, string> | undefined;
}

/** How often a destination prunes, where nothing more is delivered. */
const pruneMs = 3_600_000;

/**
 * Makes the relay of a process, which is one object: a tunnel for what browsers send, a durable outbox, and the
 * delivery out of it. It opens nothing until it is used.
 *
 * @throws {TypeError} for options that can't be used
 */
export function createRelay(options: RelayOptions): Relay {
  return new Relay(options);
}

export class Relay {
  readonly outbox: Outbox;
  /** What operators are told of it. */
  readonly stats: Stats;
  /** What the service has asked not to be sent, as far as this process knows. */
  readonly limits: ServiceLimits;
  /** What has been refused, by reason. */
  readonly refusals: Refusals;
  /** The memory that bodies of requests may take, whichever address they are sent to. */
  readonly memory: BodyMemory;
  /** How many messages visitors may send, whichever way they come. */
  readonly feedbackLimit = new ClientLimit(feedbackRate);
  /** How often the service has answered with each status, or not at all. */
  readonly serviceAnswers = new Map<number | "none", number>();
  /** Finds the source of frames: of none, where there are no source maps. */
  readonly #resolve: FrameResolver;
  /** Who has sent a request, by the proxies that are trusted. */
  readonly #clientOf: (request: IncomingMessage) => Client;
  readonly #options: CheckedOptions;
  readonly #paths: { tunnel: string; destination: string | undefined };
  readonly #tunnel: Tunnel;
  readonly #tellOfProxy: (request: IncomingMessage) => void;
  readonly #tellRefusals = () => this.refusals.tell();
  #service: Service | undefined;
  #embedded: OpenDestination | undefined;
  #dispatcher: Dispatcher | undefined;
  #housekeeping: Housekeeping | undefined;
  #pruning: NodeJS.Timeout | undefined;

  constructor(given: RelayOptions) {
    const options = checkOptions(given);
    const { store, destination, log, path, basePath, release, sourceMaps, resolveStacks } = options;
    const { maxBytes, trustedProxies, feedbackAsEvent } = options;
    this.#options = options;
    this.#paths = {
      tunnel: path,
      destination: destination?.path && `${basePath}${destination.path}`,
    };
    this.limits = new ServiceLimits(undefined, feedbackAsEvent);
    this.refusals = new Refusals(log);
    this.memory = new BodyMemory(maxBytes);
    this.#clientOf = clientReader(trustedProxies);
    this.#tellOfProxy = tellUntrustedProxy(trustedProxies, log);
    this.#resolve = resolverOf(sourceMaps, log);
    this.outbox = new Outbox(driverOf(store, this.#tables(), log), {
      maxBytes: options.maxStoredBytes,
      maxAgeMs: options.retentionHours * 3_600_000,
      log,
      // Only a process of its release has the source maps of an error.
      release: resolveStacks || !options.dsn ? release : undefined,
      // Otherwise all reports are of one machine.
      server: "postgres" in store ? hostname() : undefined,
    });
    this.stats = new Stats(this.outbox, log);
    this.#tunnel = new Tunnel({
      append: (envelope, origin, details) => this.outbox.append(envelope, origin, details),
      limits: this.limits,
      maxBytes,
      memory: this.memory,
      rate: options.rate,
      feedbackLimit: this.feedbackLimit,
      clientOf: this.#clientOf,
      receive: options.receive,
      reportClientIp: options.reportClientIp,
      log,
      onRefused: (reason) => this.refusals.note("envelopes", reason),
    });
  }

  /** Begins to deliver. Resolves once the store has answered, or has been found wanting, as the log says. */
  async start(): Promise<void> {
    if (this.#dispatcher) return;
    const { log, destination } = this.#options;
    const { outbox, limits } = this;
    process.once("exit", this.#tellRefusals);
    this.#service = this.#options.dsn && this.#openService(this.#options.dsn);
    this.#embedded ??= destination?.open(this.#context());
    const options = { outbox, destination: this.#service ?? this.#embedded, limits, log };
    this.#dispatcher = new Dispatcher(options);
    this.#housekeeping = new Housekeeping({ ...options, health: this.#dispatcher.health });
    this.#dispatcher.start();
    this.#housekeeping.start();
    void this.#service?.ask();
    void this.#prune();
    this.#pruning = setInterval(() => void this.#prune(), pruneMs).unref();
    await this.stats.read();
  }

  /**
   * Answers a request of the tunnel, or of the destination's own pages.
   *
   * @returns false for any other request, which is left as it is
   */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    this.#tellOfProxy(request);
    const [asked = ""] = (request.url ?? "").split("?", 1);
    const { tunnel, destination } = this.#paths;
    // Proxies and clients may add a slash, as with Next's `trailingSlash`.
    if (asked === tunnel || asked === `${tunnel}/`) {
      void this.#tunnel.handle(request, response);
      return true;
    }
    if (!destination || !`${asked}/`.startsWith(`${destination}/`)) return false;
    return this.#embedded?.handle?.(request, response) ?? false;
  }

  /**
   * Resolves once the envelope is on disk.
   *
   * @param envelope of the server's own: https://develop.sentry.dev/sdk/data-model/envelopes/
   * @throws {import("./outbox/driver.ts").OutboxError} if it could not be stored
   */
  append(envelope: Uint8Array | string): Promise<void> {
    const bytes = typeof envelope === "string" ? Buffer.from(envelope) : envelope;
    return this.outbox.append(bytes, "server");
  }

  /** Does not reject: what can't be read is left out. */
  async status(): Promise<RelayStatus> {
    const { delivery, refusal, limited } = this;
    return { ...(await this.stats.read()), delivery, refusal, limited };
  }

  get delivery(): DeliveryState {
    if (!this.#dispatcher) return "stopped";
    return this.#dispatcher.health.isPaused ? "pausing" : "delivering";
  }

  /** The name of the option `destination`, also where a service gets the reports. */
  get destination(): string | undefined {
    return this.#options.destination?.name;
  }

  /** The path and query that open what the destination shows, if it gets the reports and shows any. */
  get entry(): string | undefined {
    return this.#options.dsn ? undefined : this.#embedded?.entry;
  }

  get refusal(): ServiceRefusal | undefined {
    return this.#service?.refusal;
  }

  get limited(): Record<string, string> | undefined {
    const all = Object.entries(this.limits.remaining());
    if (all.length === 0) return undefined;
    const now = Date.now();
    return Object.fromEntries(all.map(([name, ms]) => [name, new Date(now + ms).toISOString()]));
  }

  /**
   * Delivers what can be delivered at once.
   *
   * @param maxMs maximum time
   * @returns false if this process does not deliver, as while it stops
   */
  async deliverNow(maxMs: number): Promise<boolean> {
    const dispatcher = this.#dispatcher;
    await dispatcher?.deliverNow(maxMs);
    return dispatcher !== undefined;
  }

  /** @see Dispatcher.stopClaiming */
  stopClaiming(maxMs: number): void {
    this.#dispatcher?.stopClaiming(maxMs);
  }

  /**
   * Delivers what can be delivered at once, then stores everything in memory. The outbox
   * still accepts reports afterwards; the next start delivers them. Never rejects: where the store is away, who
   * has asked to store a report was told.
   *
   * @param maxMs see `Dispatcher.stop`
   */
  async stop(maxMs = 1500): Promise<void> {
    const dispatcher = this.#dispatcher;
    this.#dispatcher = undefined;
    this.#housekeeping?.stop();
    clearInterval(this.#pruning);
    await dispatcher?.stop(maxMs);
    await this.outbox.flush();
    process.off("exit", this.#tellRefusals);
    this.refusals.tell();
  }

  /** Stops at once, and closes the store. Never rejects. */
  async close(): Promise<void> {
    await this.stop(0);
    await this.outbox.close();
  }

  /** Where a service gets the reports, what was stored for the destination must not keep the outbox from working. */
  #tables(): TableSet[] {
    const { destination } = this.#options;
    return destination
      ? [{ ...destination.tables, isOptional: this.#options.dsn !== undefined }]
      : [];
  }

  #openService(dsn: Dsn): Service {
    const { log, proxy, resolveStacks, sourceMaps, feedbackAsEvent = false } = this.#options;
    const { limits, outbox, serviceAnswers } = this;
    return new Service(dsn, {
      limits,
      log,
      answers: serviceAnswers,
      setAside: (reason, cause) => outbox.setAside(reason, cause),
      feedbackAsEvent,
      proxy,
      ...(sourceMaps &&
        resolveStacks && {
          resolve: (envelope, origin) => resolveEnvelope(envelope, origin, this.#resolve),
        }),
    });
  }

  #context(): DestinationContext {
    const { outbox, memory } = this;
    const { log, release } = this.#options;
    return {
      driver: outbox.driver,
      isUsed: this.#options.dsn === undefined,
      path: this.#paths.destination ?? "",
      log,
      release,
      resolve: this.#resolve,
      secret: () => outbox.secret.read(),
      deliverNow: (maxMs) => this.deliverNow(maxMs),
      clientOf: this.#clientOf,
      memory,
    };
  }

  async #prune(): Promise<void> {
    const { destination, log } = this.#options;
    const prune = this.#embedded?.prune?.bind(this.#embedded);
    if (!destination || !prune) return;
    try {
      if (await hasNewest(destination.tables, this.outbox.driver)) await prune();
    } catch (error) {
      log("warn", "pruning failed", { destination: destination.name, cause: String(error) });
    }
  }
}

function driverOf(store: CheckedOptions["store"], more: TableSet[], log: Log): Driver {
  const tables = [outboxTables, ...more];
  if ("postgres" in store) return new PostgresDriver({ ...store.postgres, tables, log });
  // Otherwise the build copies each file of this name below the project into the standalone folder.
  const file = join(/* turbopackIgnore: true */ store.folder, "outbox.db");
  return new SqliteDriver({ file, tables, log });
}

function resolverOf(maps: RelayOptions["sourceMaps"], log: Log): FrameResolver {
  if (typeof maps === "function") return maps;
  if (maps) return mapResolver(maps, log);
  return async (frames) => frames.map(() => ({ resolved: false, late: false }));
}
