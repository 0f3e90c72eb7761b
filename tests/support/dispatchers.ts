import { expect, onTestFinished } from "vitest";
import type { Destination } from "@/packages/relay/src/delivery/destination";
import { Dispatcher } from "@/packages/relay/src/delivery/dispatcher";
import { Housekeeping } from "@/packages/relay/src/delivery/housekeeping";
import { Service as Destined, type ServiceOptions } from "@/packages/relay/src/delivery/service";
import { ServiceLimits } from "@/packages/relay/src/delivery/service-limits";
import { parseDsn } from "@/packages/relay/src/dsn";
import type { Outbox } from "@/packages/relay/src/outbox/outbox";
import { outgoingProxy } from "@/packages/sentry/src/shared/environment/outgoing-proxy";
import { engines, type Opened, type OutboxSetting } from "./outboxes";
import { type ReceivedEnvelope, type Service, startService } from "./service";

interface Setting extends OutboxSetting {
  service?: Service;
  /** Where reports go, if not to the service. */
  dsn?: string;
  /** Opens the outbox; a new SQLite file by default. */
  open?: (setting: OutboxSetting) => Pick<Opened, "outbox" | "clock" | "lines">;
  resolve?: ServiceOptions["resolve"];
  times?: ServiceOptions["times"];
  feedbackAsEvent?: boolean;
  /** Variables of the environment. */
  proxies?: Record<string, string>;
}

const openSqlite = engines[0]?.[1];

/**
 * A dispatcher at work between a real outbox and a real service, without jitter. It reaches the outbox
 * with delays, which the test controls.
 */
export async function startDispatcher(setting: Setting = {}) {
  const { resolve, times, feedbackAsEvent, proxies = {}, open = openSqlite, ...rest } = setting;
  const service = setting.service ?? (await startService());
  if (!open) throw new Error("Expected an engine.");
  const opened = open(rest);
  const { outbox, clock, lines } = opened;
  const log: ServiceOptions["log"] = (level, event, fields = {}) => {
    lines.push({ level, event, fields });
  };
  let step = 0;
  let underWay = 0;
  let quietReadings = 0;
  let isClosed = false;
  const now = () => {
    if (underWay === 0 && delays.running() === 0) quietReadings++;
    if (underWay === 0) clock.now += step;
    return clock.now;
  };
  const limits = new ServiceLimits(() => clock.now, feedbackAsEvent);
  const dsn = parseDsn(setting.dsn ?? service.dsn);
  if (!dsn) throw new Error("Expected a DSN.");
  const real = new Destined(dsn, {
    proxy: outgoingProxy(dsn.envelopeUrl, proxies),
    limits,
    log,
    setAside: (reason, cause) => outbox.setAside(reason, cause),
    ...(resolve && { resolve }),
    ...(times && { times }),
    ...(feedbackAsEvent && { feedbackAsEvent }),
    now: () => clock.now,
    random: () => 0,
  });
  const destination: Destination = {
    async deliver(report, stopping) {
      underWay++;
      try {
        return await real.deliver(report, stopping);
      } finally {
        underWay--;
        quietReadings = 0;
      }
    },
    close() {
      isClosed = true;
      real.close();
    },
  };
  const delays = withDelays(outbox);
  const dispatcher = new Dispatcher({
    outbox: delays.outbox,
    destination,
    limits,
    log,
    now,
    random: () => 0,
    pollMs: 1,
    renewMs: 20,
    claimIntervalMs: 1,
  });
  dispatcher.start();
  const { health } = dispatcher;
  const kept = { outbox, destination, limits, log, health, now, pollMs: 1 };
  const housekeeping = new Housekeeping(kept);
  housekeeping.start();
  onTestFinished(async () => {
    delays.passAll();
    housekeeping.stop();
    await dispatcher.stop(0);
    await service.close();
  });
  return {
    ...opened,
    service,
    dispatcher,
    limits,
    delays,
    isClosed: () => isClosed,
    ask: () => real.ask(),
    refusal: () => real.refusal,
    /** How many reports are being resolved or sent. */
    underWay: () => underWay,
    /**
     * Makes time pass quickly: 0.1 s whenever the dispatcher reads the clock, but not while a report is
     * being sent, because how long that takes is chance.
     */
    hurry() {
      step = 100;
    },
    /**
     * All is done that can be done now: the dispatcher has read the clock often since its last delivery, by
     * several claims, while nothing was under way.
     */
    async manyPolls() {
      quietReadings = 0;
      await expect.poll(() => quietReadings, { interval: 5 }).toBeGreaterThan(60);
    },
  };
}

export function idsOf(envelopes: ReceivedEnvelope[]): unknown[] {
  return envelopes.map(({ header }) => header.event_id);
}

/** Seconds between one try and the next, by the dispatcher's own clock. */
export function pauses(attempts: ReceivedEnvelope[]): number[] {
  const times = attempts.map(({ header }) => Date.parse(String(header.sent_at)));
  return times.slice(1).map((time, i) => Math.floor((time - (times[i] ?? 0)) / 1000));
}

type Method = "claim" | "renew" | "acknowledge" | "release" | "flush";

/**
 * The same outbox as behind a network: a call reaches it later than it was made. Calls of a method
 * that the test holds reach it when the test lets them pass.
 */
function withDelays(outbox: Outbox) {
  const held: { method: Method; pass(): void }[] = [];
  const holds = new Set<Method>();
  const calls = new Map<Method, number>();
  let running = 0;
  const delayed = new Proxy(outbox, {
    get(_, name) {
      const found = outbox[name as keyof Outbox];
      if (name === "setAside") return outbox.setAside.bind(outbox);
      if (typeof found !== "function" || name === "onAppend") return found;
      const method = name as Method;
      return async (...args: unknown[]) => {
        calls.set(method, (calls.get(method) ?? 0) + 1);
        if (holds.has(method)) await new Promise<void>((pass) => held.push({ method, pass }));
        else await undefined;
        const run = outbox[method] as (...args: unknown[]) => Promise<unknown>;
        running++;
        return run.apply(outbox, args).finally(() => {
          running--;
        });
      };
    },
  });
  const pass = (method: Method) => {
    holds.delete(method);
    for (const call of held.splice(0)) {
      if (call.method === method) call.pass();
      else held.push(call);
    }
  };
  return {
    outbox: delayed,
    /** How often a method was called. */
    calls: (method: Method) => calls.get(method) ?? 0,
    /** How many calls have reached the outbox, and not come back. */
    running: () => running,
    /** From now on calls of this method are held. */
    hold: (method: Method) => holds.add(method),
    /** How many calls of this method are held. */
    held: (method: Method) => held.filter((call) => call.method === method).length,
    /** Lets them pass, and later ones too. */
    pass,
    passAll: () => [...holds].forEach(pass),
  };
}
