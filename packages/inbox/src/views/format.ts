import type { Vital } from "../model/measurements.ts";

const utc = { timeStyle: "medium", hourCycle: "h23", timeZone: "UTC" } as const;
const dateAndTime = new Intl.DateTimeFormat("en", { ...utc, dateStyle: "medium" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "short" });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const threeDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

export const formatCount = new Intl.NumberFormat("en").format;

/** Rounded down: only all of it is 100 %. */
export function formatShare(part: number, whole: number): string {
  return percent.format(Math.floor((part * 1000) / whole) / 1000);
}

export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${threeDigits.format(ms)}\u00a0ms`;
  return `${threeDigits.format(ms / 1000)}\u00a0s`;
}

export function formatVital(vital: Vital, value: number): string {
  return vital === "cls" ? threeDigits.format(value) : formatDuration(value);
}

// Of times, in milliseconds since the epoch.

/** Hours, minutes and seconds in UTC. */
export const formatTimeOfDay = new Intl.DateTimeFormat("en", utc).format;

/** Date and time in UTC. */
export const formatDateAndTime = (at: number) => `${dateAndTime.format(at)} UTC`;

/** How long ago something was, in words. */
export function formatAgo(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return relative.format(-minutes, "minute");
  if (minutes < 24 * 60) return relative.format(-Math.floor(minutes / 60), "hour");
  return relative.format(-Math.floor(minutes / 60 / 24), "day");
}
