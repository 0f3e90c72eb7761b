/** The path of a report in any Node server: `createRelay`, and what its options are made of. */

export type {
  DestinationContext,
  EmbeddedDestination,
  OpenDestination,
} from "./delivery/embedded-destination.ts";
export { parseDsn } from "./dsn.ts";
export { type Log, oncePerMinute } from "./log.ts";
export { createRelay, type Relay, type RelayStatus } from "./relay.ts";
export type { RelayOptions, StoreOptions } from "./relay-options.ts";
export type { Receive } from "./tunnel/tunnel.ts";
