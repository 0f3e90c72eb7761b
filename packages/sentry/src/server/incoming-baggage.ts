import type { IncomingHttpHeaders } from "node:http";
import {
  type DynamicSamplingContext,
  dynamicSamplingContextToSentryBaggageHeader,
  getDynamicSamplingContextFromClient,
  objectToBaggageHeader,
  parseBaggageHeader,
  parseSampleRate,
  propagationContextFromHeaders,
} from "@sentry/core";
import { getClient } from "@sentry/nextjs";

/**
 * What a client's baggage may say of its trace, which goes on with the server's reports and pages: how it
 * was sampled, and the replay that the service shows beside its errors. Anybody can write what else may
 * stand there, as a user's id or a transaction's name.
 *
 * @param dsc as the client says it
 * @returns beside that, release, environment and key, which are this server's; empty where the client said
 *   nothing
 * Source: https://develop.sentry.dev/sdk/telemetry/traces/dynamic-sampling-context/
 */
export function believedDsc(
  dsc: Partial<Record<string, string>>,
  traceId: string,
): Partial<DynamicSamplingContext> {
  const client = getClient();
  if (!client || Object.keys(dsc).length === 0) return {};
  const { sampled, replay_id } = dsc;
  const [sample_rate, sample_rand] = [dsc.sample_rate, dsc.sample_rand].map(numberOf);
  return {
    ...getDynamicSamplingContextFromClient(traceId, client),
    ...(/^(true|false)$/.test(sampled ?? "") && { sampled }),
    ...(sample_rate && { sample_rate }),
    ...(sample_rand && { sample_rand }),
    ...(/^[\da-f]{32}$/.test(replay_id ?? "") && { replay_id }),
  };
}

/** @returns none where it is not from 0 to 1 */
function numberOf(value: string | undefined): string | undefined {
  const number = parseSampleRate(value);
  return number === undefined ? undefined : String(number);
}

/** The same in the headers themselves, for OpenTelemetry, which reads them. Other entries stay. */
export function keepBelievedBaggage(headers: IncomingHttpHeaders): void {
  const { "sentry-trace": trace, baggage } = headers;
  if (baggage === undefined) return;
  const { traceId, dsc = {} } = propagationContextFromHeaders(String(trace), baggage);
  const entries = Object.entries(parseBaggageHeader(baggage) ?? {});
  const others = entries.filter(([name]) => !name.startsWith("sentry-"));
  const parts = [
    objectToBaggageHeader(Object.fromEntries(others)),
    dynamicSamplingContextToSentryBaggageHeader(
      believedDsc(dsc as Record<string, string>, traceId),
    ),
  ];
  headers.baggage = parts.filter(Boolean).join(",");
}
