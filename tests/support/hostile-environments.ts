/**
 * What a page, an extension or an old browser may have frozen, replaced or taken away before any bundle
 * runs: each is run in the browser, as the first script of a page.
 */
export const hostileEnvironments: Record<string, () => void> = {
  "fetch can't be replaced": () => {
    const { fetch } = window;
    Object.defineProperty(window, "fetch", { get: () => fetch });
  },
  // https://github.com/PostHog/posthog-js/issues/1326
  "fetch is wrapped by code that knows addresses as text and headers as objects alone": () => {
    const { fetch } = window;
    const wrapped = (url: string, init: RequestInit = {}) =>
      fetch(url.replace("/nowhere", ""), { ...init, headers: { ...init.headers, "x-a": "b" } });
    Object.assign(window, { fetch: wrapped });
  },
  "fetch is gone": () => {
    Reflect.deleteProperty(window, "fetch");
  },
  "fetch can't be read": () => {
    Object.defineProperty(window, "fetch", {
      get() {
        throw new Error("hostile fetch");
      },
    });
  },
  "Error is frozen": () => {
    Object.freeze(Error);
  },
  "there is no storage": () => {
    for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException("hostile storage", "SecurityError");
        },
      });
    }
  },
  "nothing is observed or measured": () => {
    for (const name of ["PerformanceObserver", "IntersectionObserver", "ResizeObserver"])
      Reflect.deleteProperty(window, name);
    performance.getEntriesByType = () => [];
    performance.getEntriesByName = () => [];
  },
  "beacons throw, locks and the browser's name are gone, and it says that it is offline": () => {
    navigator.sendBeacon = () => {
      throw new TypeError("hostile beacon");
    };
    for (const [name, value] of [
      ["onLine", false],
      ["userAgent", undefined],
      ["locks", undefined],
    ] as const)
      Object.defineProperty(navigator, name, { value });
  },
  "history can't be patched, and there is no crypto": () => {
    for (const name of ["pushState", "replaceState"] as const)
      Object.defineProperty(history, name, { value: history[name].bind(history) });
    Object.defineProperty(window, "crypto", { value: undefined });
  },
};
