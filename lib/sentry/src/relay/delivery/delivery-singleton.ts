import { runtimeConfig } from "../../shared/environment/runtime.ts";
import { log } from "../../shared/log.ts";
import { singleton } from "../../shared/singleton.ts";
import { outbox } from "../outbox/outbox-singleton.ts";
import { resolveEnvelope } from "../source-maps/resolve-envelope.ts";
import { Courier } from "./courier.ts";
import type { Destination } from "./destination.ts";
import { noticeOthers } from "./one-destination.ts";
import { Service, type ServiceRefusal } from "./service.ts";
import { ServiceLimits } from "./service-limits.ts";

interface ProcessState {
  limits: ServiceLimits;
  courier?: Courier | undefined;
  service?: Service | undefined;
}

export interface StartOptions {
  /** Where reports go that no service gets. Without one, they wait until they are too old. */
  elsewhere?: () => Destination;
  /** What else is done each minute. */
  jobs?: readonly (() => Promise<unknown>)[];
}

function state(): ProcessState {
  return singleton("delivery", () => ({
    limits: new ServiceLimits(undefined, runtimeConfig().feedbackAsEvent),
  }));
}

/** What the service has asked not to be sent, as far as this process knows. */
export function serviceLimits(): ServiceLimits {
  return state().limits;
}

/** @returns a sample rate as it holds now: 0 while the service takes no measurements */
export function rateNow(rate: number): number {
  return serviceLimits().takesMeasurements() ? rate : 0;
}

export function startDelivery({ elsewhere, jobs = [] }: StartOptions = {}): void {
  const shared = state();
  if (shared.courier) return;
  const { limits } = shared;
  shared.service = configuredService(limits);
  const destination = shared.service ?? elsewhere?.();
  const notice = noticeOthers(outbox().driver, runtimeConfig().dsn, log);
  const all = [...jobs, notice];
  shared.courier = new Courier({ outbox: outbox(), destination, limits, log, jobs: all });
  shared.courier.start();
  void shared.service?.ask();
}

/** Why the service takes nothing, if it has said so to this process. */
export function serviceRefusal(): ServiceRefusal | undefined {
  return state().service?.refusal;
}

function configuredService(limits: ServiceLimits): Service | undefined {
  const { dsn, resolveStacks, feedbackAsEvent, proxies } = runtimeConfig();
  if (!dsn) return undefined;
  return new Service(dsn, {
    limits,
    log,
    setAside: (reason, cause) => outbox().setAside(reason, cause),
    feedbackAsEvent,
    proxies,
    ...(resolveStacks && { resolve: (report) => resolveEnvelope(report) }),
  });
}

/**
 * Delivers what can be delivered at once.
 *
 * @param maxMs maximum time
 * @returns false if this process is stopping
 */
export async function deliverNow(maxMs: number): Promise<boolean> {
  const { courier } = state();
  await courier?.deliverNow(maxMs);
  return courier !== undefined;
}

/** @see Courier.endClaims */
export function endClaims(maxMs: number): void {
  state().courier?.endClaims(maxMs);
}

/**
 * Delivers what can be delivered at once, then stores everything in memory. The outbox
 * still accepts reports afterwards; the next start delivers them.
 *
 * @param maxMs see `Courier.stop`
 */
export async function stopDelivery(maxMs = 1500): Promise<void> {
  const shared = state();
  const { courier } = shared;
  shared.courier = undefined;
  await courier?.stop(maxMs);
  await outbox().flush();
}

/** What the courier does: while it pauses, the service or the inbox has just taken nothing. */
export type CourierState = "delivering" | "pausing" | "stopped";

export function courierState(): CourierState {
  const { courier } = state();
  if (!courier) return "stopped";
  return courier.isPaused ? "pausing" : "delivering";
}
