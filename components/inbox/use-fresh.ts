import { useRouter } from "next/router";
import { useEffect, useState } from "react";
import { basePath } from "@/lib/config/public";
import { toLocale } from "@/lib/messages/locales";

/**
 * - `asking`: looks for news every now and then
 * - `lost`: the last look failed; it tries on, ever more rarely
 * - `outdated`: the server no longer has this page, or is another build: only a full load helps
 */
export type Freshness = "asking" | "lost" | "outdated";

const pause = { usual: 2000, longest: 30_000 };

/**
 * Keeps a server-rendered page's props fresh while the page is in view. Asks for the page's data
 * by a plain fetch: the router would take it for a navigation, with all that follows from one.
 *
 * @param given the props the page was rendered with; new ones replace what was fetched
 * @param paused whether to leave it for now
 */
export function useFresh<Props extends { view: unknown }>(
  given: Props,
  paused: boolean,
): { props: Props; freshness: Freshness } {
  const { asPath, ...router } = useRouter();
  const locale = toLocale(router.locale);
  const [fetched, setFetched] = useState({ given, props: given });
  const [freshness, setFreshness] = useState<Freshness>("asking");

  useEffect(() => {
    if (paused) return;
    const leaving = new AbortController();
    let timer = 0;
    let failures = 0;
    let busy = false;
    let last = given;

    async function look(): Promise<void> {
      if (busy || document.visibilityState === "hidden") return;
      clearTimeout(timer);
      busy = true;
      const outcome = await fetchProps<Props>(dataUrl(asPath, locale), leaving.signal);
      busy = false;
      if (leaving.signal.aborted) return;
      if (outcome === "outdated") return setFreshness("outdated");
      failures = outcome === "lost" ? failures + 1 : 0;
      setFreshness(outcome === "lost" ? "lost" : "asking");
      if (outcome !== "lost" && differ(outcome.view, last.view)) {
        last = outcome;
        setFetched({ given, props: outcome });
      }
      timer = window.setTimeout(look, Math.min(pause.usual * 2 ** failures, pause.longest));
    }

    timer = window.setTimeout(look, pause.usual);
    document.addEventListener("visibilitychange", look);
    return () => {
      leaving.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [given, paused, asPath, locale]);

  return { props: fetched.given === given ? fetched.props : given, freshness };
}

/** Where Next serves the data of a page: what its own router asks for. */
function dataUrl(asPath: string, locale: string): string {
  const { buildId } = (window as unknown as { __NEXT_DATA__: { buildId: string } }).__NEXT_DATA__;
  const [, path, search] = /^([^?#]*)([^#]*)/.exec(asPath) ?? [];
  return `${basePath}/_next/data/${buildId}/${locale}${path}.json${search}`;
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
    // What fetch throws when the server can't be reached; anything else is no page data.
    return error instanceof TypeError || signal.aborted ? "lost" : "outdated";
  }
}

/** Both are JSON that came from the same code, so equal views are spelt alike. */
function differ(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) !== JSON.stringify(b);
}
