import { leftoverKey } from "../early";
import { keep } from "./report-store";

/** Moves what an earlier page could not send into the store, from where it is sent again. */
export async function keepLeftovers(): Promise<void> {
  const leftovers = localStorage.getItem(leftoverKey);
  if (!leftovers) return;
  localStorage.removeItem(leftoverKey);
  for (const envelope of JSON.parse(leftovers) as string[]) await keep(envelope);
}
