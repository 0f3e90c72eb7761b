import type { IncomingMessage, ServerResponse } from "node:http";
import type { BodyMemory } from "../http/body-memory.ts";
import type { Client } from "../http/client.ts";
import type { Log } from "../log.ts";
import type { Driver, Statement } from "../outbox/driver.ts";
import type { TableSet } from "../outbox/tables.ts";
import type { FrameResolver } from "../source-maps/frames.ts";
import type { Destination } from "./destination.ts";

/**
 * A destination that has its rows in the store of the outbox: what `createRelay` takes as `destination`. Where a
 * service is configured, the service gets the reports, and the destination is opened all the same: what it has is
 * still pruned, and its tables may be missing.
 */
export interface EmbeddedDestination<Taken = unknown> {
  /** One word for logs and status, such as "inbox". */
  readonly name: string;
  /** What it has in the store beside the outbox. */
  readonly tables: TableSet;
  /** Such as "/reports": requests to it and below it go to `handle` first. */
  readonly path?: string | undefined;
  /** Called once, as the relay starts for the first time. Must not throw. */
  open(context: DestinationContext): OpenDestination<Taken>;
}

export interface OpenDestination<Taken = unknown> extends Destination<Taken> {
  rows(taken: readonly Taken[]): Statement[];
  /**
   * Removes what has had its time. Called at start and then once an hour, where the store has the tables in a
   * version that this build knows.
   */
  prune?(): Promise<void>;
  /**
   * Answers a request below `path`. Must not throw, and answers errors itself.
   *
   * @returns false for a request that it leaves to the app, as while a service gets the reports
   */
  handle?(request: IncomingMessage, response: ServerResponse): boolean;
  /** The path and query that open what `handle` shows, for the person who has started the server. */
  entry?: string;
}

/** What a destination gets of the relay that it is part of. */
export interface DestinationContext {
  /** Of the store: its SQL, and which process this is. */
  driver: Driver;
  /** Whether reports are delivered here: false where a service gets them. */
  isUsed: boolean;
  /** Where `handle` answers: the destination's `path` behind the app's base path. */
  path: string;
  log: Log;
  /** The release that this process runs: it has the source maps of that. */
  release: string | undefined;
  resolve: FrameResolver;
  /** @returns 32 random bytes that all servers of the store share, and nobody else knows @throws {OutboxError} */
  secret(): Promise<Buffer>;
  /** Delivers what waits: for at most so many milliseconds. */
  deliverNow(maxMs: number): Promise<unknown>;
  /** Who has sent a request, by the proxies that are trusted. */
  clientOf(request: IncomingMessage): Client;
  /** For the bodies of requests, shared with the tunnel. */
  memory: BodyMemory;
  settings?: DestinationSettings;
}

/** What operators have set for it, as variables of the app, where the relay is not made by hand. */
export interface DestinationSettings {
  /** Opens what `handle` shows: 1 to 256 characters without spaces. */
  token?: string | undefined;
  /** How long what it shows is kept: whole days from 1 to 365. */
  retentionDays?: number | undefined;
  /** How long whole reports are kept: whole days from 1 to 365. */
  reportRetentionDays?: number | undefined;
}
