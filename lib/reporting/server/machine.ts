import { arch, cpus, freemem, release, totalmem, type, uptime } from "node:os";
import type { Event } from "@sentry/nextjs";

const [processor] = cpus();
const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions();

/**
 * The contexts of the server's events, as the SDK's own integration names them. That one has the system's
 * distribution too, but reads files and starts programs for it.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/contexts/
 */
const contexts = {
  os: { name: systemName(type()), kernel_version: release() },
  app: { app_start_time: new Date(Date.now() - process.uptime() * 1000).toISOString() },
  device: {
    arch: arch(),
    boot_time: new Date(Date.now() - uptime() * 1000).toISOString(),
    memory_size: totalmem(),
    processor_count: cpus().length,
    cpu_description: processor?.model,
    processor_frequency: processor?.speed,
  },
  culture: { locale, timezone: timeZone },
};

/** Under what the SDK says itself. Events alone: transactions hold what a trace needs. */
export function describeMachine(event: Event): Event {
  if (event.type !== undefined) return event;
  const free_memory = freemem();
  event.contexts = {
    ...contexts,
    app: { ...contexts.app, app_memory: process.memoryUsage.rss(), free_memory },
    device: { ...contexts.device, free_memory },
    ...event.contexts,
  };
  // Services title what is marked so by its function, which says nothing of it.
  for (const { mechanism } of event.exception?.values ?? []) {
    if (mechanism) mechanism.synthetic = undefined;
  }
  return event;
}

function systemName(kernel: string): string {
  return { Darwin: "macOS", Windows_NT: "Windows" }[kernel] ?? kernel;
}
