import { leftoverKey } from "../early";
import { keep } from "./report-store";

/** Moves what an earlier page could not send into the store, from where it is sent again. */
export async function keepLeftovers(): Promise<void> {
  try {
    const leftovers = localStorage.getItem(leftoverKey);
    if (!leftovers) return;
    for (const envelope of JSON.parse(leftovers) as string[]) await keep(envelope);
    localStorage.removeItem(leftoverKey);
  } catch {
    // The browser lets this page store nothing: then there was nothing to keep, or it stays.
  }
}
