import { getIsolationScope, init } from "@sentry/browser";
import { beforeEach, expect, test, vi } from "vitest";
import type { EarlyActivity } from "@/packages/sentry/src/browser/first-load/activity";

beforeEach(() => {
  vi.resetModules();
  getIsolationScope().clearBreadcrumbs();
  // jsdom keeps no list of them.
  Object.assign(performance, { getEntriesByType: () => [] });
});

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
  leaveBreadcrumbs([], "/");
  const crumbs = getIsolationScope().getScopeData().breadcrumbs;
  expect(crumbs.map(({ data, level }) => [data?.url, level])).toEqual([
    ["/opaque", undefined],
    ["/lost", "error"],
    ["/refused", "error"],
  ]);
  expect(crumbs[2]?.data?.status_code).toBeUndefined();
});

test("of requests, clicks and the app's own breadcrumbs the last ones are kept, as many as the app wants", async () => {
  vi.stubGlobal("fetch", async () => new Response());
  const { watchRequests } = await import("@/packages/sentry/src/browser/first-load/requests");
  const { leaveBreadcrumbs } = await import("@/packages/sentry/src/browser/sdk/early-activity");
  watchRequests(() => undefined);
  await window.fetch(`${location.origin}/asked`);
  init({ dsn: "http://key@localhost/1", defaultIntegrations: false, maxBreadcrumbs: 3 });
  const now = Date.now();
  const clicked = (tag: string, since: number): EarlyActivity => ({
    clicked: [[tag]],
    at: now + since,
    since,
    route: "/",
    page: "/",
  });
  const scope = getIsolationScope();
  for (const [message, since] of [
    ["first", -9000],
    ["last", 9000],
  ] as const)
    scope.addBreadcrumb({ message, timestamp: (now + since) / 1000 });
  leaveBreadcrumbs([clicked("a", -5000), clicked("b", -4000), clicked("c", -3000)], "/");
  const left = scope.getScopeData().breadcrumbs.map(({ message, data }) => message ?? data?.url);
  expect(left).toEqual(["c", "/asked", "last"]);
});

test("a very long attribute of what was clicked is not held, and does not cost the element its words", async () => {
  const { recordActivity } = await import("@/packages/sentry/src/browser/first-load/activity");
  const { leaveBreadcrumbs } = await import("@/packages/sentry/src/browser/sdk/early-activity");
  const activities = recordActivity();
  const long = "x".repeat(1_000_000);
  document.body.innerHTML = `<img id="zoom" src="data:image/png;base64,${long}" style="--a: ${long}" title="${long}">`;
  document.querySelector("img")?.click();
  expect(activities).toHaveLength(1);
  expect(JSON.stringify(activities).length).toBeLessThan(1000);
  init({ dsn: "http://key@localhost/1", defaultIntegrations: false });
  leaveBreadcrumbs(activities, "/");
  const { breadcrumbs } = getIsolationScope().getScopeData();
  expect(breadcrumbs).toMatchObject([{ category: "ui.click", message: "body > img#zoom" }]);
});
