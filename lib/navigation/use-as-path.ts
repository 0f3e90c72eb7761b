import { useRouter } from "next/router";
import { useSyncExternalStore } from "react";
import { isDynamic } from "./pattern";

const subscribeToNothing = () => () => {};

/**
 * The router's `asPath` for showing it: URL path, query and hash, percent-encoded, without base path
 * and locale.
 *
 * The server may know less than the browser, or write the same query in another order: a prerendered
 * page is made without its query, and no request carries the hash. So the first render in the browser
 * gives the path alone, and the next one everything. The element needs `suppressHydrationWarning`.
 *
 * @returns undefined while a prerendered page does not know its parameters
 */
export function useAsPath(): string | undefined {
  const { asPath, pathname, isFallback } = useRouter();
  const isHydrating = useSyncExternalStore(
    subscribeToNothing,
    () => false,
    () => typeof window !== "undefined",
  );
  if (isFallback || (isDynamic(pathname) && asPath === pathname)) return undefined;
  return isHydrating ? asPath.replace(/[?#].*/, "") : asPath;
}
