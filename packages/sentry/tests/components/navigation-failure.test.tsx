import { afterEach, beforeEach, expect, test, vi } from "vitest";

let url = "";
let start = 0;
vi.mock("@/packages/sentry/src/browser/first-load/navigation", () => ({
  lastNavigation: () => ({ url, start, stage: "error", shallow: false }),
}));

beforeEach(() => {
  Object.assign(window, {
    __NEXT_DATA__: { page: "/static", buildId: "b" },
    __BUILD_MANIFEST: { sortedPages: ["/server", "/static"] },
  });
  // As in a browser whose own list is full, or that tells no status.
  vi.spyOn(performance, "getEntriesByType").mockReturnValue([]);
  vi.resetModules();
});

afterEach(() => vi.unstubAllGlobals());

/** Asks for the data of a path, and is answered with a status. */
async function ask(path: string, status: number): Promise<void> {
  vi.stubGlobal("fetch", async () => new Response("", { status }));
  const { watchRequests } = await import("@/packages/sentry/src/browser/first-load/requests");
  const { app } = await import("@/packages/sentry/src/browser/first-load/app");
  const { dataUrlOf, placeOf } = await import("@/packages/sentry/src/shared/routes/location");
  watchRequests(() => undefined);
  const place = placeOf(app(), new URL(path, location.href));
  if (!place) throw new Error("no place");
  await window.fetch(location.origin + dataUrlOf(app(), "b", place));
}

/** What is told of the failed navigation. */
async function told(): Promise<string | undefined> {
  const { navigationFailure } = await import(
    "@/packages/sentry/src/browser/first-load/error-route"
  );
  const failure = navigationFailure(new Error("Failed to load static props"));
  return (failure as Error | undefined)?.message;
}

test.each([
  [500, undefined],
  [503, "Failed to load the data of /server, status 503"],
])(
  "a failed request for page data with status %i is told as %j, however many the page has made",
  async (status, words) => {
    url = "/server?a=1";
    await ask(url, status);
    expect(await told()).toBe(words);
  },
);

test.each([
  [500, undefined],
  [503, "Failed to load the data of /rewritten, status 503"],
])(
  "under a rewritten URL, a request that was refused with status %i meanwhile is told as %j",
  async (status, words) => {
    url = "/rewritten";
    start = performance.now();
    await ask("/server", status);
    expect(await told()).toBe(words);
  },
);

test("what was refused before a navigation tells nothing of it", async () => {
  await ask("/server", 500);
  url = "/rewritten";
  start = performance.now() + 1;
  expect(await told()).toBe("Failed to load the data of /rewritten");
});
