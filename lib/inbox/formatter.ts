import type { InboxMessages } from "@/lib/messages/inbox/en";
import type { Locale } from "@/lib/messages/locales";
import type { Vital } from "./vitals";

/** A time, written in several ways. */
export interface FormattedTime {
  iso: string;
  /** How long ago, in words. */
  ago: string;
  /** Date and time in UTC. */
  full: string;
}

export type Formatter = ReturnType<typeof formatter>;

const formats = new Map<Locale, Formats>();
type Formats = ReturnType<typeof makeFormats>;

/** Made once for each language: making them takes longer than a page takes to use them. */
function formatsOf(locale: Locale): Formats {
  const known = formats.get(locale);
  if (known) return known;
  const made = makeFormats(locale);
  formats.set(locale, made);
  return made;
}

function makeFormats(locale: Locale) {
  const tag = `${locale}-u-nu-latn`;
  const utc = { timeStyle: "medium", hourCycle: "h23", timeZone: "UTC" } as const;
  const digits = (maximumFractionDigits: number) =>
    new Intl.NumberFormat(tag, { maximumFractionDigits });
  return {
    whole: digits(0),
    tenths: digits(1),
    hundredths: digits(2),
    thousandths: digits(3),
    percent: new Intl.NumberFormat(tag, { style: "percent", maximumFractionDigits: 1 }),
    relative: new Intl.RelativeTimeFormat(tag, { numeric: "always", style: "short" }),
    dateTime: new Intl.DateTimeFormat(tag, { ...utc, dateStyle: "medium" }),
    day: new Intl.DateTimeFormat(tag, { day: "numeric", month: "short", timeZone: "UTC" }),
    timeOfDay: new Intl.DateTimeFormat(tag, utc),
  };
}

/**
 * Writes numbers and times in a language. For the server only: a browser's locale data may differ,
 * and hydration would fail. Digits are Latin in every language, like those in the reports.
 *
 * @param now milliseconds since the epoch
 */
export function formatter(locale: Locale, units: InboxMessages["units"], now: number) {
  const { whole, tenths, hundredths, thousandths, percent, relative, dateTime, day, timeOfDay } =
    formatsOf(locale);

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
