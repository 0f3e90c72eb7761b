import type { Dsn } from "../dsn.ts";
import { isRecord } from "./json-limits.ts";

type Header = Record<string, unknown>;

/**
 * Takes every address out of an envelope header that a client wrote: the service (`dsn` and the
 * trace's `public_key`), and the client addresses that Sentry's Relay would believe (`remote_addr`,
 * `forwarded_for`). The tunnel does this before it stores an envelope; delivery puts the configured
 * service in, which may be another one by then.
 */
export function withoutAddresses(header: Header): Header {
  const { dsn: _, remote_addr: __, forwarded_for: ___, ...rest } = header;
  if (isRecord(header.trace)) {
    const { public_key: _key, ...trace } = header.trace;
    rest.trace = trace;
  }
  return rest;
}

/**
 * Addresses an envelope header to a service, whatever service it names.
 * Source: https://develop.sentry.dev/sdk/data-model/envelopes/#envelope-headers,
 * https://develop.sentry.dev/sdk/telemetry/traces/dynamic-sampling-context/
 */
export function addressHeader(header: Header, { text, publicKey }: Dsn): Header {
  const addressed: Header = { ...header, dsn: text };
  if (isRecord(header.trace)) addressed.trace = { ...header.trace, public_key: publicKey };
  return addressed;
}
