import { inboxMessages } from "@/lib/messages/inbox";
import type { Vital } from "../model/vitals";

/** A time, written in several ways. */
export interface FormattedTime {
  iso: string;
  /** How long ago, in words. */
  ago: string;
  /** Date and time in UTC. */
  full: string;
}

export type Formatter = ReturnType<typeof formatter>;

const { units } = inboxMessages;
const utc = { timeStyle: "medium", hourCycle: "h23", timeZone: "UTC" } as const;
const dateTime = new Intl.DateTimeFormat("en", { ...utc, dateStyle: "medium" });
const day = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" });
const timeOfDay = new Intl.DateTimeFormat("en", utc);
const relative = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "short" });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const [whole, tenths, hundredths, thousandths] = [digits(0), digits(1), digits(2), digits(3)];

function digits(maximumFractionDigits: number): Intl.NumberFormat {
  return new Intl.NumberFormat("en", { maximumFractionDigits });
}

/**
 * Writes numbers and times in English. For the server only: a browser may write them otherwise, and
 * hydration would fail.
 *
 * @param now milliseconds since the epoch
 */
export function formatter(now: number) {
  function ago(at: number): string {
    const minutes = Math.floor((now - at) / 60_000);
    if (minutes < 1) return units.justNow;
    if (minutes < 60) return relative.format(-minutes, "minute");
    if (minutes < 24 * 60) return relative.format(-Math.floor(minutes / 60), "hour");
    return relative.format(-Math.floor(minutes / 60 / 24), "day");
  }

  function duration(ms: number): string {
    if (ms < 999.5) return `${(ms < 10 ? tenths : whole).format(ms)}\u00a0${units.milliseconds}`;
    return `${hundredths.format(ms / 1000)}\u00a0${units.seconds}`;
  }

  return {
    count: (value: number) => whole.format(value),
    /** @param value 0 to 1 */
    percent: (value: number) => percent.format(value),
    /** @param at milliseconds since the epoch */
    time: (at: number): FormattedTime => ({
      iso: new Date(at).toISOString(),
      ago: ago(at),
      full: `${dateTime.format(at)} UTC`,
    }),
    /** Day and month in UTC. */
    day: (at: number) => day.format(at),
    /** Hours, minutes and seconds in UTC. */
    timeOfDay: (at: number) => timeOfDay.format(at),
    duration,
    vital: (vital: Vital, value: number) =>
      vital === "cls" ? thousandths.format(value) : duration(value),
  };
}
