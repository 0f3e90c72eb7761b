/** The path of a report in any Node server: `createRelay`, and what its options are made of. */

export { atMost } from "./at-most.ts";
export type {
  Destination,
  DestinationContext,
  DestinationSettings,
  EmbeddedDestination,
  OpenDestination,
} from "./delivery/destination.ts";
export type { ServiceRefusal } from "./delivery/service.ts";
export type { OutgoingProxy, ProxyFault } from "./delivery/service-connection.ts";
export { type Dsn, parseDsn } from "./dsn.ts";
export { type Log, type LogFields, type LogLevel, oncePerMinute } from "./log.ts";
export { createRelay, type DeliveryState, type Relay, type RelayStatus } from "./relay.ts";
export { checkSettings, type RelayOptions, type StoreOptions } from "./relay-options.ts";
export type { Receive, Received } from "./tunnel/tunnel.ts";
