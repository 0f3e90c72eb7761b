import type { Service } from "../support/service.ts";
import { check, checkThat } from "./checks.ts";
import { reportsOf, sendOn } from "./envelopes.ts";
import { until } from "./processes.ts";
import { startSpotlight } from "./spotlight.ts";

/** What Spotlight makes of everything. */
export async function checkAtSpotlight(service: Service): Promise<void> {
  const spotlight = await startSpotlight();
  try {
    const statuses = await sendOn(service.envelopes, spotlight.dsn);
    check(
      "Spotlight takes every envelope",
      statuses.filter((status) => status !== 200).map(String),
    );
    const all = () => spotlight.shown().length >= service.envelopes.length;
    await until("Spotlight has read every envelope", all, 10_000).catch(() => {});
    const shown = spotlight.shown();
    const count = `${shown.length} of ${service.envelopes.length}`;
    checkThat("Spotlight reads every envelope", shown.length === service.envelopes.length, count);
    const ids = shown.flatMap(([, items]) =>
      items.map(([, payload]) => (payload as { event_id?: string }).event_id),
    );
    const missing = reportsOf(service, "event").filter(({ event_id }) => !ids.includes(event_id));
    check(
      "Spotlight shows every event",
      missing.map(({ event_id }) => event_id),
    );
  } finally {
    await spotlight.stop();
  }
}
