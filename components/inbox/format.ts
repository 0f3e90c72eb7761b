import type { Vital } from "@/lib/inbox/vitals";
import type { Locale } from "@/lib/messages/locales.js";
import type { InboxTexts } from "./texts";

/** A moment as the page shows it. */
export interface Moment {
  iso: string;
  /** How long ago, in words. */
  ago: string;
  /** Date and time in UTC. */
  full: string;
}

/**
 * Writes numbers and times in a language. On the server only: the browser's own data may write
 * them otherwise, and the page would then differ from the one it was sent. Figures are always the
 * Latin ones, like those in the reports.
 *
 * @param now milliseconds since the epoch
 */
export function formatter(locale: Locale, texts: InboxTexts, now: number) {
  const tag = `${locale}-u-nu-latn`;
  const count = new Intl.NumberFormat(tag);
  const thousandths = new Intl.NumberFormat(tag, { maximumFractionDigits: 3 });
  const share = new Intl.NumberFormat(tag, { style: "percent", maximumFractionDigits: 1 });
  const distance = new Intl.RelativeTimeFormat(tag, { numeric: "always", style: "short" });
  const moment = new Intl.DateTimeFormat(tag, {
    dateStyle: "medium",
    timeStyle: "medium",
    hourCycle: "h23",
    timeZone: "UTC",
  });
  const clock = new Intl.DateTimeFormat(tag, {
    timeStyle: "medium",
    hourCycle: "h23",
    timeZone: "UTC",
  });
  const whole = new Intl.NumberFormat(tag, { maximumFractionDigits: 0 });
  const tenths = new Intl.NumberFormat(tag, { maximumFractionDigits: 1 });
  const hundredths = new Intl.NumberFormat(tag, { maximumFractionDigits: 2 });

  function ago(at: number): string {
    const minutes = Math.floor((now - at) / 60_000);
    if (minutes < 1) return texts.justNow;
    if (minutes < 60) return distance.format(-minutes, "minute");
    if (minutes < 24 * 60) return distance.format(-Math.floor(minutes / 60), "hour");
    return distance.format(-Math.floor(minutes / 60 / 24), "day");
  }

  function duration(ms: number): string {
    if (ms < 999.5) return `${(ms < 10 ? tenths : whole).format(ms)}\u00a0${texts.milliseconds}`;
    return `${hundredths.format(ms / 1000)}\u00a0${texts.seconds}`;
  }

  return {
    count: (value: number) => count.format(value),
    share: (value: number) => share.format(value),
    moment: (at: number): Moment => ({
      iso: new Date(at).toISOString(),
      ago: ago(at),
      full: `${moment.format(at)} UTC`,
    }),
    /** Hours, minutes and seconds in UTC. */
    clock: (at: number) => clock.format(at),
    duration,
    vital: (vital: Vital, value: number) =>
      vital === "cls" ? thousandths.format(value) : duration(value),
  };
}

export type Formatter = ReturnType<typeof formatter>;
