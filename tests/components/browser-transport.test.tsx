import type { createTransport } from "@sentry/browser";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { reportKeys, reportStores } from "@/lib/reporting/browser/first-load/report-store";
import { relayTransport } from "@/lib/reporting/browser/sdk/transport";
import { type Service, startService } from "@/tests/support/service";

type Envelope = Parameters<ReturnType<typeof createTransport>["send"]>[0];

beforeEach(() => localStorage.clear());

const storedReports = () => reportStores().flatMap(reportKeys);

function envelope(type: string, payload: object = {}): Envelope {
  return [{}, [[{ type }, payload]]] as unknown as Envelope;
}

/** The transport, with a stand-in in the relay's place, and what the SDK is told to count. */
async function open() {
  const relay = await startService();
  onTestFinished(() => relay.close());
  const dropped: unknown[][] = [];
  const transport = relayTransport(`${relay.url}/api/relay`)({
    recordDroppedEvent: (...drop) => dropped.push(drop),
  });
  return { relay, transport, dropped };
}

function typesTaken(relay: Service): unknown[] {
  return relay.envelopes.map(({ items }) => items[0]?.header.type);
}

test("what could not be delivered goes out errors first, when the relay is back", async () => {
  const { relay, transport, dropped } = await open();
  await relay.behave("refuse");
  for (let n = 0; n < 100; n++) await transport.send(envelope("transaction"));
  for (const type of ["event", "feedback", "event"]) await transport.send(envelope(type));
  expect(dropped).toEqual(Array(3).fill(["queue_overflow", "transaction"]));
  await relay.behave("ok");
  dispatchEvent(new Event("online"));
  await relay.waitFor((s) => s.envelopes.length === 100);
  expect(typesTaken(relay)).toEqual([
    "event",
    "feedback",
    "event",
    ...Array(97).fill("transaction"),
  ]);
});

test("measurements that the service limits for a day are dropped and counted, errors are not", async () => {
  const { relay, transport, dropped } = await open();
  await relay.behave("refuse");
  await transport.send(envelope("transaction"));
  await transport.send(envelope("event"));
  const limited = {
    status: 429,
    headers: { "X-Sentry-Rate-Limits": "86400:transaction:organization", "Retry-After": "86400" },
  };
  await relay.behave(({ items }) => (items[0]?.header.type === "transaction" ? limited : 200));
  dispatchEvent(new Event("online"));
  await expect.poll(storedReports).toEqual([]);
  expect(dropped).toEqual([["ratelimit_backoff", "transaction"]]);
  expect(typesTaken(relay)).toEqual(["event"]);
});

test("a measurement that meets such a limit is not stored, an error is", async () => {
  const { relay, transport, dropped } = await open();
  const headers = { "X-Sentry-Rate-Limits": "86400::organization", "Retry-After": "86400" };
  await relay.behave({ answers: [{ status: 429, headers }] });
  await Promise.all([transport.send(envelope("event")), transport.send(envelope("transaction"))]);
  expect(dropped).toEqual([["ratelimit_backoff", "transaction"]]);
  expect(storedReports()).toHaveLength(1);
});

test("a client report is sent if it tells of more than requests outside of traces", async () => {
  const { relay, transport } = await open();
  const nothing = { reason: "no_parent_span", category: "span", quantity: 7 };
  const lost = { reason: "sample_rate", category: "error", quantity: 1 };
  await transport.send(envelope("client_report", { discarded_events: [nothing] }));
  const measuredAlready = { reason: "before_send", category: "transaction", quantity: 1 };
  await transport.send(envelope("client_report", { discarded_events: [measuredAlready] }));
  await transport.send(envelope("client_report", { discarded_events: [nothing, lost] }));
  await transport.send(envelope("event"));
  expect(typesTaken(relay)).toEqual(["client_report", "event"]);
});
