import nextDynamic from "next/dist/shared/lib/dynamic";
import type { DynamicOptions, Loader } from "next/dynamic";
import { orLoadWhole } from "./full-load";

/**
 * What the app gets for `next/dynamic`, by `resolveAlias` in next.config.js: the same, but where a
 * part can't be had, the page is loaded anew, once, and if that does not help, the error page shows.
 * By itself it would show its loading state for ever, and tell nobody.
 */
// biome-ignore lint/style/noDefaultExport: as next/dynamic has it
export default function dynamic<P>(
  part: DynamicOptions<P> | Loader<P>,
  options?: DynamicOptions<P>,
) {
  const isLoader = typeof part === "function" || part instanceof Promise;
  const all = { ...(isLoader ? { loader: part } : part), ...options };
  return nextDynamic<P>({ ...all, loader: guarded(all.loader) });
}

function guarded<T>(loader: T): T {
  if (typeof window === "undefined" || typeof loader !== "function") return loader;
  return (() => orLoadWhole(loader()).catch(toThrow)) as T;
}

/** In the part's place a component that throws it, so that the error boundary takes it on. */
function toThrow(error: unknown) {
  return function Lost() {
    throw error;
  };
}
