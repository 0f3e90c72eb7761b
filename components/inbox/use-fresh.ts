import { useRouter } from "next/router";
import { useEffect, useState } from "react";
import { toLocale } from "@/lib/messages/locales";
import { dataUrlOf } from "@/lib/routes/location";

/**
 * - `active`: polls for new data
 * - `lost`: the last request failed; it retries with back-off
 * - `outdated`: the server refuses this page now, or is another build; only a hard navigation helps
 */
type Freshness = "active" | "lost" | "outdated";

const intervalMs = 2000;
const maxIntervalMs = 30_000;

/** How the refreshing goes, and the reader's way to pause it. */
export interface Refreshing {
  freshness: Freshness;
  paused: boolean;
  onPause: (paused: boolean) => void;
}

/**
 * Keeps the props of a server-rendered page fresh while the page is visible. It fetches the page's
 * data by itself: for the router each refresh would be a navigation, with its events and its focus.
 *
 * @param given the props that the page was rendered with; new ones replace fetched ones
 */
export function useFresh<Props extends { view: unknown }>(
  given: Props,
): Props & { refreshing: Refreshing } {
  const [paused, onPause] = useState(false);
  const { asPath, ...router } = useRouter();
  const locale = toLocale(router.locale);
  const [fetched, setFetched] = useState({ given, props: given });
  const [freshness, setFreshness] = useState<Freshness>("active");

  useEffect(() => {
    if (paused) return;
    const controller = new AbortController();
    let timer = 0;
    let failures = 0;
    let busy = false;
    let last = given;

    async function refresh(): Promise<void> {
      if (busy || document.visibilityState === "hidden") return;
      clearTimeout(timer);
      busy = true;
      const url = dataUrlOf(currentBuildId(), { path: asPath, locale });
      const outcome = await fetchProps<Props>(url, controller.signal);
      busy = false;
      if (controller.signal.aborted) return;
      if (outcome === "outdated") return setFreshness("outdated");
      failures = outcome === "lost" ? failures + 1 : 0;
      setFreshness(outcome === "lost" ? "lost" : "active");
      if (outcome !== "lost" && differ(outcome.view, last.view)) {
        last = outcome;
        setFetched({ given, props: outcome });
      }
      timer = window.setTimeout(refresh, Math.min(intervalMs * 2 ** failures, maxIntervalMs));
    }

    timer = window.setTimeout(refresh, intervalMs);
    document.addEventListener("visibilitychange", refresh);
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", refresh);
    };
  }, [given, paused, asPath, locale]);

  const props = fetched.given === given ? fetched.props : given;
  return { ...props, refreshing: { freshness, paused, onPause } };
}

/** Next keeps it there for its own router. */
function currentBuildId(): string {
  return (window as unknown as { __NEXT_DATA__: { buildId: string } }).__NEXT_DATA__.buildId;
}

async function fetchProps<Props extends { view: unknown }>(
  url: string,
  signal: AbortSignal,
): Promise<Props | "lost" | "outdated"> {
  try {
    const response = await fetch(url, { signal, headers: { "x-nextjs-data": "1" } });
    if (response.status >= 500) return "lost";
    const { pageProps } = response.ok ? await response.json() : {};
    return pageProps?.view ? pageProps : "outdated";
  } catch (error) {
    // fetch throws a TypeError when the server can't be reached. Any other error comes from parsing.
    return error instanceof TypeError || signal.aborted ? "lost" : "outdated";
  }
}

/** The same code made both, so equal views have the same JSON. */
function differ(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) !== JSON.stringify(b);
}
