import { afterEach, beforeEach, expect, test, vi } from "vitest";

let Router: typeof import("next/router").default;

beforeEach(async () => {
  vi.resetModules();
  vi.spyOn(document, "addEventListener");
  ({ default: Router } = await import("next/router"));
  Object.assign(Router, { router: { isReady: true, push: vi.fn() } });
  const { watchLinks } = await import("@/lib/site/navigation/links");
  watchLinks();
});

afterEach(() => {
  for (const [name, listener, options] of vi.mocked(document.addEventListener).mock.calls) {
    document.removeEventListener(name, listener as () => void, options);
  }
  vi.restoreAllMocks();
  document.body.innerHTML = "";
});

/** Clicks a link. @returns where the router went, and whether the browser still acts */
function click(link: string) {
  document.body.innerHTML = link;
  const event = new MouseEvent("click", { bubbles: true, cancelable: true });
  document.querySelector("span")?.dispatchEvent(event);
  return [vi.mocked(Router.router?.push)?.mock.calls[0]?.[0], !event.defaultPrevented];
}

test.each([
  '<a href="#target"><span>x</span></a>',
  '<a href="#target" target="_self"><span>x</span></a>',
  '<a href="#target" target="_SELF"><span>x</span></a>',
])("the router follows %s", (link) => {
  expect(click(link)).toEqual(["#target", false]);
});

test.each([
  '<a href="#target" target="_blank"><span>x</span></a>',
  '<a href="#target" target="frame"><span>x</span></a>',
  '<a href="#target" download><span>x</span></a>',
  '<a href="/page#target"><span>x</span></a>',
  "<a><span>x</span></a>",
])("the browser follows %s", (link) => {
  expect(click(link)).toEqual([undefined, true]);
});
