import nextDynamic from "next/dist/shared/lib/dynamic";
import type { DynamicOptions, Loader } from "next/dynamic";
import { reloadOnFailure } from "./hard-navigation";
import { isLostChunk } from "./router-internals";

// What else Next's own exports.
export { noSSR } from "next/dist/shared/lib/dynamic";

/**
 * Takes the place of `next/dynamic`, by `resolveAlias` in next.config.js. If the component's script
 * can't be loaded, Next's own would show the loading state for ever, without an error. This one
 * makes one hard navigation to the present page; if that does not help, the error page shows. What
 * else the loader rejects with is the app's own, and reaches `loading` as it does with Next's.
 */
// biome-ignore lint/style/noDefaultExport: like next/dynamic
export default function dynamic<P>(
  component: DynamicOptions<P> | Loader<P>,
  options?: DynamicOptions<P>,
) {
  const isLoader = typeof component === "function" || component instanceof Promise;
  const all = { ...(isLoader ? { loader: component } : component), ...options };
  return nextDynamic<P>({ ...all, loader: withRecovery(all.loader) });
}

function withRecovery<T>(loader: T): T {
  if (!loader) return loader;
  const load = () => (typeof loader === "function" ? loader() : loader);
  if (typeof window === "undefined") return load as T;
  return (() =>
    reloadOnFailure(load()).catch((error) => {
      if (!isLostChunk(error)) throw error;
      // A component in place of the lost one, so that the error boundary handles the error.
      return function Lost() {
        throw error;
      };
    })) as T;
}
