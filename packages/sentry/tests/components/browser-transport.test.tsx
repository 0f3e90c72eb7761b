import type { createTransport } from "@sentry/browser";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { reportKeys } from "@/packages/sentry/src/browser/first-load/report-store";
import { tunnelTransport } from "@/packages/sentry/src/browser/sdk/transport";
import { type Service, startService } from "@/tests/support/service";

type Envelope = Parameters<ReturnType<typeof createTransport>["send"]>[0];

beforeEach(() => localStorage.clear());

function envelope(type: string, payload: object = {}): Envelope {
  return [{}, [[{ type }, payload]]] as unknown as Envelope;
}

/** The transport, with a stand-in in the tunnel's place. */
async function open() {
  const tunnel = await startService();
  // A transport listens as long as its page stays, which here is one test.
  const listen = vi.spyOn(globalThis, "addEventListener");
  onTestFinished(() => {
    for (const [name, listener] of listen.mock.calls) {
      removeEventListener(name, listener as () => void);
    }
    listen.mockRestore();
    return tunnel.close();
  });
  const transport = tunnelTransport({
    url: `${tunnel.url}/api/relay`,
    recordDroppedEvent: () => {},
  });
  return { tunnel, transport };
}

function typesTaken(tunnel: Service): unknown[] {
  return tunnel.envelopes.map(({ items }) => items[0]?.header.type);
}

test("what could not be delivered goes out errors first, when the tunnel is back", async () => {
  const { tunnel, transport } = await open();
  await tunnel.behave("refuse");
  for (let n = 0; n < 100; n++) await transport.send(envelope("transaction"));
  for (const type of ["event", "feedback", "event"]) await transport.send(envelope(type));
  await tunnel.behave("ok");
  dispatchEvent(new Event("online"));
  await tunnel.waitFor((s) => s.envelopes.length === 100);
  expect(typesTaken(tunnel)).toEqual([
    "event",
    "feedback",
    "event",
    ...Array(97).fill("transaction"),
  ]);
});

test("measurements that the service limits for a day are dropped, errors are not", async () => {
  const { tunnel, transport } = await open();
  await tunnel.behave("refuse");
  await transport.send(envelope("transaction"));
  await transport.send(envelope("event"));
  const limited = {
    status: 429,
    headers: { "X-Sentry-Rate-Limits": "86400:transaction:organization", "Retry-After": "86400" },
  };
  await tunnel.behave(({ items }) => (items[0]?.header.type === "transaction" ? limited : 200));
  dispatchEvent(new Event("online"));
  await expect.poll(reportKeys).toEqual([]);
  expect(typesTaken(tunnel)).toEqual(["event"]);
});

test("a measurement that meets such a limit is not stored, an error is", async () => {
  const { tunnel, transport } = await open();
  const headers = { "X-Sentry-Rate-Limits": "86400::organization", "Retry-After": "86400" };
  await tunnel.behave({ answers: [{ status: 429, headers }] });
  await Promise.all([transport.send(envelope("event")), transport.send(envelope("transaction"))]);
  expect(reportKeys()).toHaveLength(1);
});
