/** The service an envelope goes to: what of a DSN goes into its header. */
export interface Addressee {
  text: string;
  publicKey: string;
}

/**
 * An envelope's header for one service and no other: `dsn` and the trace's `public_key` are the
 * given ones, or gone where there is none, whatever stood there. What a client may say of
 * addresses that Sentry's Relay would believe (`remote_addr`, `forwarded_for`) is left out.
 * Source: https://develop.sentry.dev/sdk/data-model/envelopes/#envelope-headers,
 * https://develop.sentry.dev/sdk/telemetry/traces/dynamic-sampling-context/
 */
export function addressHeader(
  header: Record<string, unknown>,
  to: Addressee | undefined,
): Record<string, unknown> {
  const { dsn: _, remote_addr: __, forwarded_for: ___, ...addressed } = header;
  if (to) addressed.dsn = to.text;
  const { trace } = header;
  if (typeof trace === "object" && trace !== null && !Array.isArray(trace)) {
    const { public_key: _key, ...rest } = trace as Record<string, unknown>;
    addressed.trace = to ? { ...rest, public_key: to.publicKey } : rest;
  }
  return addressed;
}

/** @returns the header as the first line of an envelope, with its newline */
export function headerLine(header: Record<string, unknown>): Buffer {
  return Buffer.from(`${JSON.stringify(header)}\n`);
}
