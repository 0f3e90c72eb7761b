import { href } from "./href";

/** The page of an error, and there of one event. */
export function errorHref(group: string, event?: string): string {
  return href(`/reports/${group}`, { event });
}
