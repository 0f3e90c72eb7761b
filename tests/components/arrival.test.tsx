import Router from "next/router";
import { beforeAll, expect, test, vi } from "vitest";
import { attendToArrivals } from "@/lib/navigation/arrival";
import { watchNavigation } from "@/lib/navigation/stages";

beforeAll(() => {
  watchNavigation();
  attendToArrivals();
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

/**
 * Arrives on another page, of which Next's own announcer says the title.
 *
 * @returns whether somebody is told of that, and what has the focus
 */
function arriveAt(path: string, title: string, content: string): [boolean, string | undefined] {
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
  const isTold = !region.hidden;
  region.textContent = title;
  vi.runAllTimers();
  vi.useRealTimers();
  // What comes later is told again, and what was not is not told then.
  expect([region.hidden, region.textContent]).toEqual([false, isTold ? title : ""]);
  return [isTold, document.activeElement?.tagName];
}

test("a page whose heading has the focus and says its title is not announced besides", () => {
  const own = arriveAt("/one", "Orders · Signpost", "<h1>Orders</h1>");
  const other = arriveAt("/two", "Orders · Signpost", "<h1>/orders</h1>");
  expect([own, other]).toEqual([
    [false, "H1"],
    [true, "H1"],
  ]);
});

test("a page without a heading has the focus as a whole, and is announced", () => {
  expect(arriveAt("/three", "Orders · Signpost", "<p>None</p>")).toEqual([true, "MAIN"]);
});
