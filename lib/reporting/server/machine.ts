import { release, type } from "node:os";
import type { Event } from "@sentry/nextjs";

/**
 * The contexts `os` and `app` of the server's events. The SDK's own integration has more, but reads
 * files and starts programs for it.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/contexts/
 */
const contexts = {
  os: { name: systemName(type()), kernel_version: release() },
  app: { app_start_time: new Date(Date.now() - process.uptime() * 1000).toISOString() },
};

/** Under what the SDK says itself. Events alone: transactions hold what a trace needs. */
export function describeMachine(event: Event): Event {
  if (event.type !== undefined) return event;
  event.contexts = { ...contexts, ...event.contexts };
  // Services title what is marked so by its function, which says nothing of it.
  for (const { mechanism } of event.exception?.values ?? []) {
    if (mechanism) mechanism.synthetic = undefined;
  }
  return event;
}

function systemName(kernel: string): string {
  return { Darwin: "macOS", Windows_NT: "Windows" }[kernel] ?? kernel;
}
