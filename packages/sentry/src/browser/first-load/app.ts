import type { App } from "../../shared/routes/location.ts";

/** Next puts it into each bundle of a browser. */
export const basePath = process.env.__NEXT_ROUTER_BASEPATH || "";

/** What the page knows of its app. */
export function app(): App {
  const { locales = [], defaultLocale } = window.__NEXT_DATA__ ?? {};
  // In the order in which Next asks them. The script with this list comes beside the page's.
  const pages = window.__BUILD_MANIFEST?.sortedPages ?? [];
  return {
    basePath,
    locales: defaultLocale ? [defaultLocale, ...locales] : locales,
    patterns: pages.filter((page) => !page.startsWith("/_")),
  };
}
