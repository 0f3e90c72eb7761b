// @vitest-environment jsdom

import { readFileSync } from "node:fs";
import { act, render, waitFor } from "@testing-library/react";
import { Component, createElement, type ReactNode } from "react";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  document.body.replaceChildren();
});

/** Next's route announcer, on a page at the given path. */
async function announcer() {
  const { RouteAnnouncer } = await import("next/dist/client/route-announcer");
  const { RouterContext } = await import("next/dist/shared/lib/router-context.shared-runtime");
  const at = (asPath: string) =>
    createElement(
      RouterContext.Provider,
      { value: { asPath } as Parameters<typeof RouterContext.Provider>[0]["value"] },
      createElement(RouteAnnouncer),
    );
  const { rerender } = render(at("/first"));
  return (asPath: string) => rerender(at(asPath));
}

test("the route announcer says the title in an element of a known id", async () => {
  const goTo = await announcer();
  document.title = "Second";
  goTo("/second");
  expect(
    document.getElementById("__next-route-announcer__")?.textContent,
    "Next no longer announces the title of a new page in #__next-route-announcer__: lib/navigation/arrival.ts speaks through that element, and would be silent.",
  ).toBe("Second");
});

test("the route announcer is silent if two pages share a title, and text that is taken away comes back with a new one", async () => {
  const goTo = await announcer();
  document.title = "Shared";
  goTo("/second");
  const region = document.querySelector("[aria-live]") as HTMLElement;
  region.textContent = "";
  region.hidden = true;
  goTo("/third");
  expect(
    region.textContent,
    "Next announces a page also if its title is that of the last: lib/navigation/arrival.ts need not do so any more.",
  ).toBe("");
  document.title = "Fourth";
  goTo("/fourth");
  expect(
    region,
    "Next shows its announcer anew: lib/navigation/arrival.ts hides it where a heading that has the focus is read.",
  ).toMatchObject({ id: "__next-route-announcer__", hidden: true });
  expect(
    region.textContent,
    "Next's announcer no longer speaks after its text was taken away: lib/navigation/arrival.ts does that before each navigation.",
  ).toBe("Fourth");
});

class Boundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};
  static getDerivedStateFromError(error: Error) {
    return { error };
  }
  override render() {
    return this.state.error ? `caught ${this.state.error.message}` : this.props.children;
  }
}

/** What a page shows of a part that `next/dynamic` loads. */
async function shown(loader: () => Promise<unknown>) {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const { default: dynamic } = await import("next/dist/shared/lib/dynamic");
  const loading = () => createElement("p", {}, "loading");
  const options = { loader, loading } as Parameters<typeof dynamic>[0];
  const part = createElement(dynamic(options));
  const { container } = render(createElement(Boundary, null, part));
  return container;
}

test("next/dynamic takes a component from its loader, and lets it throw", async () => {
  const sentence =
    "next/dist/shared/lib/dynamic no longer renders what its loader resolves with: lib/navigation/dynamic.ts is made of it.";
  const part = await shown(async () => () => createElement("p", {}, "the part"));
  await waitFor(() => expect(part.textContent, sentence).toBe("the part"));
  const broken = await shown(async () => () => {
    throw new Error("lost");
  });
  await waitFor(() => expect(broken.textContent, sentence).toBe("caught lost"));
});

test("next/dynamic itself goes on loading where its part can't be had", async () => {
  const loader = vi.fn(async () => {
    throw new Error("lost");
  });
  const part = await shown(loader);
  await act(async () => {});
  expect(loader).toHaveBeenCalled();
  expect(
    part.textContent,
    "next/dynamic now tells of a part that can't be had: lib/navigation/dynamic.ts, which does so in its place, can go.",
  ).toBe("loading");
});

test("a render that another one takes over is worded as noise", () => {
  const code = readFileSync("node_modules/next/dist/client/index.js", "utf8");
  expect(
    code.includes("new Error('Cancel rendering route')"),
    "Next words a render that was taken over otherwise: packages/sentry/src/browser/first-load/noise.ts knows it by these words, and would report it as an error.",
  ).toBe(true);
});
