import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import type { ListView } from "@/packages/inbox/src/views/page-data";
import { now, show as showPage } from "@/packages/inbox/tests/support/pages";

const hour = 3_600_000;
const route = { route: "/static", vitals: [], requests: undefined, visits: 0 };

function show(over: Partial<ListView>) {
  const view: ListView = {
    name: "performance",
    totals: { errors: 0, performance: 1, feedback: 0 },
    ignored: 0,
    page: 1,
    lastPage: 1,
    filter: { search: "", parts: {}, state: undefined },
    unknownReference: false,
    kept: { reports: 0, unshown: {}, unreadable: 0, dropped: 0 },
    errors: [],
    routes: [],
    feedback: [],
    ...over,
  };
  return showPage(view);
}

const sound = { release: "1.2.3", started: 50, errored: 3, crashed: 5, lastHour: now - 2 * hour };

/** The figures of each release, by their names. */
function figures() {
  const section = screen.getByRole("heading", { name: "Releases" }).closest("section");
  return within(section as HTMLElement)
    .queryAllByRole("listitem")
    .map((item) => ({
      release: item.querySelector("bdi")?.textContent,
      last: item.querySelector("time")?.textContent,
      ...Object.fromEntries(
        [...item.querySelectorAll("dt")].map((name) => [
          name.textContent,
          name.nextElementSibling?.textContent,
        ]),
      ),
    }));
}

test("a release has its crash-free sessions, where nothing else was measured too", async () => {
  await show({ releases: [sound] });
  expect(figures()).toEqual([
    {
      release: "1.2.3",
      "Crash-free": "90%",
      Sessions: "50",
      Crashed: "5",
      "With errors": "3",
      last: "2 hr. ago",
    },
  ]);
  expect(screen.queryByText("No measurements yet")).toBeNull();
});

test.each([
  [10_000, 0, "100%"],
  [10_000, 1, "99.9%"],
  [10_000, 9_999, "0%"],
  [1_000, 3, "99.7%"],
])("of %i sessions, of which %i crashed, %s are crash-free", async (started, crashed, share) => {
  await show({ releases: [{ ...sound, started, crashed }] });
  expect(figures()).toMatchObject([{ "Crash-free": share }]);
});

test("without sessions it says where they come from", async () => {
  await show({ releases: [], routes: [route] });
  expect(figures()).toEqual([]);
  expect(screen.getByText(/^No sessions yet/)).toBeVisible();
});

test("where one route is shown, there are no releases", async () => {
  await show({ routes: [route], slowest: [] });
  expect(screen.queryByText("Releases")).toBeNull();
});
