import { gunzipSync } from "node:zlib";
import type { ReceivedEnvelope, Service } from "../support/service.ts";

interface Frame {
  filename?: string;
  abs_path?: string;
  in_app?: boolean;
  context_line?: string;
}

interface Span {
  op?: string;
  description?: string;
  start_timestamp: number;
  timestamp: number;
  data?: Record<string, unknown>;
}

/** The parts of events and transactions that are looked at. */
export interface Report {
  type?: string;
  event_id: string;
  platform?: string;
  transaction?: string;
  message?: string;
  release?: string;
  environment?: string;
  start_timestamp: number;
  timestamp: number;
  sdk?: { name: string };
  user?: Record<string, unknown>;
  tags?: Record<string, string>;
  request?: { url?: string };
  contexts?: Record<string, Record<string, unknown> | undefined>;
  measurements?: Record<string, { value: number }>;
  spans?: Span[];
  breadcrumbs?: { category?: string; data?: Record<string, unknown> }[];
  exception?: {
    values: {
      type?: string;
      value?: string;
      mechanism?: { type: string };
      stacktrace?: { frames: Frame[] };
    }[];
  };
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
