import { getIsolationScope, init } from "@sentry/browser";
import { expect, test, vi } from "vitest";

test("an answer that a script may not see is no failure, and what a request is refused with is no answer", async () => {
  const answers = [
    // As of a `no-cors` request.
    () => Promise.resolve({ status: 0 }),
    () => Promise.reject(new TypeError("Failed to fetch")),
    () => Promise.reject(Object.assign(new Error("refused"), { status: 200 })),
  ];
  vi.stubGlobal("fetch", () => answers.shift()?.());
  const { watchRequests } = await import("@/packages/sentry/src/browser/first-load/requests");
  const { leaveBreadcrumbs } = await import("@/packages/sentry/src/browser/sdk/early-activity");
  watchRequests(() => undefined);
  for (const path of ["opaque", "lost", "refused"])
    await window.fetch(`${location.origin}/${path}`).catch(() => {});
  init({ dsn: "http://key@localhost/1", defaultIntegrations: false });
  // jsdom keeps no list of them.
  Object.assign(performance, { getEntriesByType: () => [] });
  leaveBreadcrumbs([], "/");
  const crumbs = getIsolationScope().getScopeData().breadcrumbs;
  expect(crumbs.map(({ data, level }) => [data?.url, level])).toEqual([
    ["/opaque", undefined],
    ["/lost", "error"],
    ["/refused", "error"],
  ]);
  expect(crumbs[2]?.data?.status_code).toBeUndefined();
});
