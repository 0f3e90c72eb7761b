import { vi } from "vitest";

/** What Signpost uses of Next's router, its loader and its two caches of page data. */
export interface RouterParts {
  pageLoader: {
    loadPage(route: string): Promise<unknown>;
    prefetch(route: string): Promise<unknown>;
    routeLoader: {
      loadRoute(route: string, prefetch?: boolean): Promise<{ error?: Error }>;
      prefetch(route: string): Promise<unknown>;
      onEntrypoint(route: string, execute: () => object): void;
    };
  };
  sdc: Record<string, unknown>;
  sbc: Record<string, unknown>;
  _inFlightRoute?: string;
  isSsr: boolean;
  _key: string;
  _getData(load: () => Promise<{ cacheKey?: string; props: object }>): Promise<{
    cacheKey?: string;
    props: { pageProps?: object };
  }>;
  handleRouteInfoError(error: Error, ...args: unknown[]): Promise<unknown>;
  change(...args: unknown[]): Promise<boolean>;
  sub(): Promise<void>;
  set(state: object, page: { error?: Error }, scroll: unknown): Promise<void>;
  push(url: string): Promise<boolean>;
  prefetch(url: string): Promise<void>;
  scrollToHash(as: string): void;
}

/** A page that has `getStaticProps`. */
export const sharedPage = "/shared";
/** A page that the build has and whose code never comes. */
export const slowPage = "/slow";

export function pageData(body: string, init: ResponseInit = {}): Response {
  return new Response(body, { status: 200, ...init });
}

/** Starts the router of the installed Next as its browser code does, on the page `/`. */
export async function startRouter() {
  vi.stubEnv("NODE_ENV", "production");
  vi.stubEnv("__NEXT_I18N_SUPPORT", "true");
  Object.assign(window, {
    __NEXT_DATA__: { props: {}, page: "/", query: {}, buildId: "build" },
    __BUILD_MANIFEST: { sortedPages: ["/", "/_app", "/_error", sharedPage, slowPage] },
    __SSG_MANIFEST: new Set([sharedPage, slowPage]),
    __MIDDLEWARE_MATCHERS: [],
  });
  for (const route of ["/", "/_app", "/_error", sharedPage, slowPage]) {
    Object.assign((window as unknown as Record<string, object>).__BUILD_MANIFEST ?? {}, {
      [route]: [`static/chunks${route}.js`],
    });
  }
  const { default: Router, ...next } = await import("next/router");
  // Not among the types, as it is for Next's own use.
  const { createRouter } = next as unknown as {
    createRouter(...args: unknown[]): RouterParts;
  };
  const { default: PageLoader } = await import("next/dist/client/page-loader");
  const pageLoader = new PageLoader("build", "") as unknown as RouterParts["pageLoader"];
  const Component = () => null;
  const router = createRouter("/", {}, "/", {
    initialProps: { pageProps: {} },
    pageLoader,
    App: Component,
    Component,
    wrapApp: () => Component,
    subscription: async () => {},
    isFallback: false,
    locale: "en",
    locales: ["en", "de"],
    defaultLocale: "en",
  });
  for (const route of ["/_error", sharedPage]) {
    pageLoader.routeLoader.onEntrypoint(route, () => ({ default: Component, __N_SSG: true }));
  }
  return { router, Router };
}
