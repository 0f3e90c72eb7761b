import { expect, test, vi } from "vitest";

vi.mock("@/lib/sentry/src/browser/first-load/navigation", () => ({
  lastNavigation: () => ({ url: "/server?a=1", stages: ["start", "error"], shallow: false }),
}));

test.each([
  [500, undefined],
  [503, "Failed to load the data of /server, status 503"],
])(
  "a failed request for page data with status %i is told as %j, however many the page has made",
  async (status, told) => {
    Object.assign(window, {
      __NEXT_DATA__: { page: "/static", buildId: "b" },
      __BUILD_MANIFEST: { sortedPages: ["/server", "/static"] },
    });
    // As in a browser whose own list is full, or that tells no status.
    vi.spyOn(performance, "getEntriesByType").mockReturnValue([]);
    vi.stubGlobal("fetch", async () => new Response("", { status }));
    vi.resetModules();
    const { watchRequests } = await import("@/lib/sentry/src/browser/first-load/requests");
    const { navigationFailure } = await import("@/lib/sentry/src/browser/first-load/error-route");
    const { app } = await import("@/lib/sentry/src/browser/first-load/app");
    const { dataUrlOf, placeOf } = await import("@/lib/sentry/src/shared/routes/location");
    watchRequests(() => {});
    const place = placeOf(app(), new URL("/server?a=1", location.href));
    if (!place) throw new Error("no place");
    await window.fetch(location.origin + dataUrlOf(app(), "b", place));
    const failure = navigationFailure(new Error("Failed to load static props"));
    expect((failure as Error | undefined)?.message).toBe(told);
    vi.unstubAllGlobals();
  },
);
