import Router from "next/router";
import { beforeAll, expect, test } from "vitest";
import { watchNavigation } from "@/lib/base/browser/navigation";
import { focusOnArrival } from "@/lib/site/navigation/arrival";

beforeAll(() => {
  watchNavigation();
  focusOnArrival();
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
