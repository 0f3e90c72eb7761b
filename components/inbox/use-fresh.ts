import { useRouter } from "next/router";
import { useEffect, useState } from "react";
import type { InboxProps } from "@/lib/inbox/page-answers";
import { hasLocalePrefixes, type Locale, toLocale } from "@/lib/messages/locales";
import { basePath, withoutTrailingSlash } from "@/lib/navigation/location";

/**
 * - `active`: polls for new data
 * - `lost`: the last request failed; it retries with back-off
 * - `outdated`: the server refuses this page now, or is another build; only a hard navigation helps
 */
type Freshness = "active" | "lost" | "outdated";

const intervalMs = 2000;
const maxIntervalMs = 30_000;

/** What a page shows, how its refreshing goes, and the reader's way to pause that. */
export interface Fresh<View> {
  view: View;
  /** When the view was made, in milliseconds since the epoch. */
  now: number;
  /** When the page was rendered: ISO 8601. */
  renderedAt: string;
  freshness: Freshness;
  paused: boolean;
  onPause: (paused: boolean) => void;
}

/**
 * Keeps the view of a server-rendered page fresh while the page is visible. It fetches the page's
 * data by itself: for the router each refresh would be a navigation, with its events and its focus.
 *
 * @param given the props that the page was rendered with; new ones replace fetched ones
 */
export function useFresh<View>(given: InboxProps<View>): Fresh<View> {
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

    async function refresh(): Promise<void> {
      if (busy || document.visibilityState === "hidden") return;
      clearTimeout(timer);
      busy = true;
      const url = dataUrlOf(window.__NEXT_DATA__.buildId, { path: asPath, locale });
      const outcome = await fetchProps<View>(url, controller.signal);
      busy = false;
      if (controller.signal.aborted) return;
      if (outcome === "outdated") return setFreshness("outdated");
      failures = outcome === "lost" ? failures + 1 : 0;
      setFreshness(outcome === "lost" ? "lost" : "active");
      if (outcome !== "lost") setFetched({ given, props: outcome });
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

  const { view, renderedAt } = fetched.given === given ? fetched.props : given;
  const now = Date.parse(renderedAt);
  return { view, now, renderedAt: given.renderedAt, freshness, paused, onPause };
}

async function fetchProps<View>(
  url: string,
  signal: AbortSignal,
): Promise<InboxProps<View> | "lost" | "outdated"> {
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

/**
 * The URL under which Next serves the data of a page, as its own router asks for it. Every locale
 * has a prefix there, the default one too, unless there is only one.
 */
export function dataUrlOf(
  buildId: string,
  { path, locale }: { path: string; locale: Locale },
): string {
  const [, pathname = "", search = ""] = /^([^?#]*)([^#]*)/.exec(path) ?? [];
  const prefix = hasLocalePrefixes ? `/${locale}` : "";
  const page = withoutTrailingSlash(prefix + pathname).replace(/^\/$/, "/index");
  return `${basePath}/_next/data/${buildId}${page}.json${search}`;
}
