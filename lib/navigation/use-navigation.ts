import { useSyncExternalStore } from "react";
import { lastNavigation, type Navigation, noNavigation, onNavigation } from "./lifecycle";

/** The last client navigation, followed as it goes. */
export function useNavigation(): Navigation {
  return useSyncExternalStore(onNavigation, lastNavigation, () => noNavigation);
}
