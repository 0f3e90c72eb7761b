// biome-ignore lint/style/noRestrictedImports: types alone load nothing.
import type * as Running from "../sdk/error-events.ts";

export type RunningSdk = typeof Running;

/**
 * The link between functions/, which is in the first load of pages that import it, and the SDK, which
 * may come later. A page without functions/ loads this file with the SDK.
 */
export let sdk: RunningSdk | undefined;

const waiting: ((sdk: RunningSdk) => void)[] = [];

/** Calls back when the SDK runs: now, or once it has started, before it takes the errors that waited. */
export function onSdk(listener: (sdk: RunningSdk) => void): void {
  if (sdk) listener(sdk);
  else waiting.push(listener);
}

export function announceSdk(running: RunningSdk): void {
  sdk = running;
  for (const listener of waiting.splice(0)) {
    try {
      listener(running);
    } catch {
      // An integration of the app's whose setup throws takes nothing else along.
    }
  }
}
