import { type Navigation, onNavigation } from "@/lib/navigation/lifecycle";
import { currentRoute } from "./error-route";

/** A click or a stage of a navigation before the SDK ran; becomes a breadcrumb or a span. */
export type EarlyMoment = { at: number; route: string } & (
  | { clicked: EventTarget | null }
  | Navigation
);

const maxMoments = 50;

/**
 * Records clicks and navigations until the SDK does so itself.
 *
 * @param moments takes them, in order
 * @returns what ends the recording
 */
export function recordMoments(moments: EarlyMoment[]): () => void {
  const add = (moment: { clicked: EventTarget | null } | Navigation) => {
    moments.push({ ...moment, at: Date.now(), route: currentRoute() });
    // Most visits never load the SDK, and what led to an error came last.
    if (moments.length > maxMoments) moments.shift();
  };
  const onClick = ({ target }: Event) => add({ clicked: target });
  addEventListener("click", onClick, true);
  const stopNavigations = onNavigation(add);
  return () => {
    removeEventListener("click", onClick, true);
    stopNavigations();
  };
}
