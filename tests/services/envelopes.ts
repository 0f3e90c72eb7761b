import { gunzipSync } from "node:zlib";
import type { ReceivedEnvelope, Service } from "../support/service.ts";

export interface Span {
  span_id: string;
  parent_span_id?: string;
  op?: string;
  description?: string;
  origin?: string;
  start_timestamp: number;
  timestamp: number;
  data?: Record<string, unknown>;
}

export interface Breadcrumb {
  category?: string;
  type?: string;
  level?: string;
  message?: string;
  data?: Record<string, unknown>;
}

/** The parts of events and transactions that are looked at. */
export interface Report {
  type?: string;
  event_id: string;
  platform?: string;
  transaction?: string;
  transaction_info?: { source?: string };
  message?: string;
  start_timestamp: number;
  timestamp: number;
  request?: { url?: string };
  contexts?: Record<string, Record<string, unknown> | undefined>;
  tags?: Record<string, unknown>;
  spans?: Span[];
  breadcrumbs?: Breadcrumb[];
  exception?: {
    values: {
      type?: string;
      value?: string;
      mechanism?: Record<string, unknown>;
      stacktrace?: { frames?: { filename?: string }[] };
    }[];
  };
  [field: string]: unknown;
}

/** All reports of one type that a service has taken, each id once. */
export function reportsOf(service: Service, type: "event" | "transaction" | "feedback"): Report[] {
  const reports = service.items(type).map(({ payload }) => payload as Report);
  return [...new Map(reports.map((report) => [report.event_id, report])).values()];
}

/** The bytes of an envelope, uncompressed. */
export function bytesOf({ requestHeaders, raw }: ReceivedEnvelope): Buffer {
  return requestHeaders["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
}

/** Sends envelopes to another service, one after another, as the app would. @returns the statuses */
export async function sendOn(envelopes: ReceivedEnvelope[], dsn: string): Promise<number[]> {
  const { origin, pathname, username } = new URL(dsn);
  const statuses: number[] = [];
  for (const envelope of envelopes) {
    const text = bytesOf(envelope);
    const items = text.subarray(text.indexOf(10));
    const header = JSON.stringify({ ...envelope.header, dsn });
    const answer = await fetch(`${origin}/api${pathname}/envelope/`, {
      method: "POST",
      headers: {
        "Content-Type": "application/x-sentry-envelope",
        "X-Sentry-Auth": `Sentry sentry_version=7, sentry_key=${username}`,
      },
      body: Buffer.concat([Buffer.from(header), items]),
    });
    await answer.arrayBuffer();
    statuses.push(answer.status);
  }
  return statuses;
}

/** The path of the page or request that a report is about, without query. */
export function pathOf({ request }: Report): string | undefined {
  return request?.url?.replace(/^https?:\/\/[^/]+/, "").replace(/[?#].*/, "");
}

/** What a reader sees first: type and message of the exception, or the message. */
export function titleOf({ exception, message }: Report): string {
  const { type, value } = exception?.values.at(-1) ?? {};
  return exception ? `${type}: ${value}` : String(message);
}
