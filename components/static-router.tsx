import { RouterContext } from "next/dist/shared/lib/router-context.shared-runtime";
import type { NextRouter } from "next/router";
import type { ReactNode } from "react";
import { defaultLocale, type Locale, locales } from "@/lib/messages/locales";
import { basePath } from "@/lib/navigation/location";

interface Props {
  /** The page's pattern, as Next names it. */
  pathname: string;
  /** URL path and query, without base path and locale; by default the pattern. */
  asPath?: string;
  locale: Locale;
  children: ReactNode;
}

/**
 * Gives `useRouter` and `next/link` a router that goes nowhere, for rendering outside Next: the page
 * of refused feedback, and component tests. `RouterContext` is a private part of Next, but the only
 * way to provide a router.
 */
export function StaticRouter({ pathname, asPath = pathname, locale, children }: Props) {
  const router: Partial<NextRouter> = {
    pathname,
    route: pathname,
    asPath,
    basePath,
    query: {},
    locale,
    defaultLocale,
    locales,
    isReady: true,
    isFallback: false,
    isLocaleDomain: false,
    prefetch: async () => {},
  };
  return <RouterContext value={router as NextRouter}>{children}</RouterContext>;
}
