import Router from "next/router";
import { beforeAll, expect, test, vi } from "vitest";
import { watchNavigation } from "@/lib/base/browser/navigation";
import { announceOnArrival, focusOnArrival } from "@/lib/site/navigation/arrival";

beforeAll(() => {
  watchNavigation();
  focusOnArrival();
  announceOnArrival();
  document.body.innerHTML =
    '<a href="#part">To the part</a><button>Else</button><h2 id="part">Part</h2>';
});

/** Changes the hash as the router does. */
function arrive(): void {
  history.replaceState(null, "", "#part");
  Router.events.emit("hashChangeComplete", "/#part", { shallow: false });
}

test.each([
  ["a", true],
  ["button", false],
])("a hash that is reached while the focus is on %s takes it: %s", (name, isTaken) => {
  const element = document.querySelector<HTMLElement>(name);
  element?.focus();
  arrive();
  expect(document.activeElement).toBe(isTaken ? document.getElementById("part") : element);
});

test("a hash that is reached without a focus takes it", () => {
  (document.activeElement as HTMLElement).blur();
  arrive();
  expect(document.activeElement?.id).toBe("part");
});

/** Arrives on another page, of which Next's own announcer says the title. @returns what is said, and of which role */
function arriveAt(path: string, title: string, content: string): (string | null)[] {
  vi.useFakeTimers();
  (document.activeElement as HTMLElement).blur();
  document.body.innerHTML = `<p id="__next-route-announcer__" role="alert"></p><main>before</main>`;
  const region = document.body.firstElementChild as HTMLElement;
  const { events } = Router;
  events.emit("routeChangeStart", path, { shallow: false });
  events.emit("beforeHistoryChange", path, { shallow: false });
  history.replaceState(null, "", path);
  document.title = title;
  (document.querySelector("main") as HTMLElement).innerHTML = content;
  events.emit("routeChangeComplete", path, { shallow: false });
  const role = region.getAttribute("role");
  region.textContent = title;
  vi.runAllTimers();
  vi.useRealTimers();
  expect(region).toHaveAttribute("role", "alert");
  return [role, document.activeElement?.tagName ?? null];
}

test("a page whose heading has the focus and says its title is not announced besides", () => {
  const own = arriveAt("/one", "Orders · Signpost", "<h1>Orders</h1>");
  const other = arriveAt("/two", "Orders · Signpost", "<h1>/orders</h1>");
  expect([own, other]).toEqual([
    ["none", "H1"],
    ["alert", "H1"],
  ]);
});

test("a page without a heading has the focus as a whole, and is announced", () => {
  expect(arriveAt("/three", "Orders · Signpost", "<p>None</p>")).toEqual(["alert", "MAIN"]);
});
