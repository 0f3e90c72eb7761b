import Router from "next/router";
import { expect, test } from "vitest";
import { lastNavigation, watchNavigation } from "@/lib/sentry/src/browser/first-load/navigation";

watchNavigation();

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
