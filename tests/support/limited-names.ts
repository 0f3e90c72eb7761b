import type { ServiceLimits } from "@/packages/relay/src/delivery/service-limits";

/** @returns the categories that the service limits, sorted; `all` for a limit on everything */
export function namesOf(limits: ServiceLimits): string {
  return Object.keys(limits.remaining()).sort().join(", ");
}
