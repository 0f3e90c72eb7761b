import { freemem } from "node:os";
import { type Event, getClient, nodeContextIntegration } from "@sentry/nextjs";

let contexts: NonNullable<Event["contexts"]> = {};

/**
 * Asks the SDK's own integration for the contexts of the server's events, once the SDK has started. It
 * reads files or starts a program, and would make each event wait: a crash must be stored at once.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/contexts/
 */
export async function readMachine(): Promise<void> {
  const client = getClient();
  if (!client) return;
  const described = await nodeContextIntegration().processEvent?.({ type: undefined }, {}, client);
  contexts = described?.contexts ?? {};
}

/** Under what the SDK says itself. */
export function describeMachine(event: Event): Event {
  const memory = { app_memory: process.memoryUsage.rss(), free_memory: process.availableMemory() };
  event.contexts = {
    ...contexts,
    app: { ...contexts.app, ...memory },
    device: { ...contexts.device, free_memory: freemem() },
    ...event.contexts,
  };
  // Services title what is marked so by its function, which says nothing of it.
  for (const { mechanism } of event.exception?.values ?? []) {
    if (mechanism) mechanism.synthetic = undefined;
  }
  return event;
}
