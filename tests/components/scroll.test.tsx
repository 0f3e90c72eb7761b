import Router from "next/router";
import { expect, test, vi } from "vitest";
import { restoreScrollPositions } from "@/lib/site/navigation/scroll";

test("without the Navigation API, Back over a hash link goes to where one was, and Forward too", () => {
  const scrollTo = vi.fn();
  vi.stubGlobal("scrollTo", scrollTo);
  Object.assign(Router, { router: { _key: "k", change: async () => true } });
  restoreScrollPositions();
  // Next gives the entry of a hash link the key of the one before.
  const state = { __N: true, key: "k" };
  const show = (url: string) => {
    history.replaceState(state, "", url);
    dispatchEvent(new PopStateEvent("popstate", { state }));
  };
  const place = (top: number) => expect.objectContaining({ top });

  Object.assign(window, { scrollY: 60 });
  document.body.click();
  history.pushState(null, "", "#end");
  // Firefox has gone to the target by then.
  Object.assign(window, { scrollY: 500 });
  dispatchEvent(new PopStateEvent("popstate", { state: null }));
  Object.assign(window, { scrollY: 700 });
  show("/");
  expect(scrollTo).toHaveBeenLastCalledWith(place(60));
  Object.assign(window, { scrollY: 60 });
  show("/#end");
  expect(scrollTo).toHaveBeenLastCalledWith(place(700));
});
