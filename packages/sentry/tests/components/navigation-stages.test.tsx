import Router from "next/router";
import { expect, test, vi } from "vitest";
import {
  lastNavigation,
  onNavigation,
  watchNavigation,
} from "@/packages/sentry/src/browser/first-load/navigation";

watchNavigation(Router);

test.each<[what: string, error: unknown, stage: string]>([
  ["data that can't be had", new Error("Failed to load static props"), "error"],
  // As Next's router words it: the document is loaded, and the server knows it or not.
  [
    "an address that this build has no page for",
    new Error("Failed to lookup route: /new"),
    "cancelled",
  ],
  [
    "another navigation",
    Object.assign(new Error("Route Cancelled"), { cancelled: true }),
    "cancelled",
  ],
  ["a listener of the app that keeps the visitor", undefined, "cancelled"],
  ["what is thrown and no error", "no", "error"],
])("a navigation that ends by %s", (_, error, stage) => {
  Router.events.emit("routeChangeStart", "/new", { shallow: false });
  Router.events.emit("routeChangeError", error, "/new", { shallow: false });
  expect(lastNavigation()).toMatchObject({ url: "/new", stage });
});

const told: string[] = [];
onNavigation(({ stage }) => void told.push(stage));

/** As a link to a download fires it: the page stays. */
async function download(): Promise<void> {
  dispatchEvent(new Event("beforeunload"));
  await vi.waitFor(() => expect(lastNavigation().stage).toBe("cancelled"));
}

test("a download cancels a navigation, unless it goes on", async () => {
  told.length = 0;
  Router.events.emit("routeChangeStart", "/slow", { shallow: false });
  await download();
  Router.events.emit("beforeHistoryChange", "/slow", { shallow: false });
  Router.events.emit("routeChangeComplete", "/slow", { shallow: false });
  expect(told).toEqual(["start", "cancelled", "history", "complete"]);
});

test("what fails once a download has cancelled it is no failure", async () => {
  Router.events.emit("routeChangeStart", "/slow", { shallow: false });
  await download();
  Router.events.emit("routeChangeError", new Error("Failed to load static props"), "/slow", {});
  expect(lastNavigation().stage).toBe("cancelled");
});

test("a prerendered page that learns its query navigates nowhere", () => {
  // As the visit begins, too: no navigation yet.
  dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  told.length = 0;
  Router.events.emit("beforeHistoryChange", "/dynamic/a", { shallow: true });
  expect(told).toEqual([]);
});

test("what a listener of ours throws harms neither the router nor the other listeners", () => {
  let heard = 0;
  onNavigation(() => {
    throw new Error("ours");
  });
  onNavigation(() => void heard++);
  const info = vi.spyOn(console, "info").mockImplementation(() => {});
  Router.events.emit("routeChangeStart", "/new", { shallow: false });
  // As apps fire it by hand.
  Router.events.emit("routeChangeStart", "/by-hand");
  info.mockRestore();
  expect(heard).toBe(1);
});
