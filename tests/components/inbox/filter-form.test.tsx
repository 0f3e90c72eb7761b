import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { FilterForm } from "@/components/inbox/filter-form";
import { StaticRouter } from "@/components/static-router";
import type { ListView } from "@/lib/inbox/views/page-data";

function form(filter: ListView["filter"]) {
  const view = { filter, unknownReference: false, ignored: 0 } as ListView;
  return (
    <StaticRouter pathname="/reports" locale="en">
      <FilterForm view={view} isFiltered />
    </StaticRouter>
  );
}

test("after a filter was cleared, the form says so", () => {
  const { rerender } = render(form({ search: "cart", parts: {}, state: "resolved" }));
  const state = () => screen.getByLabelText<HTMLSelectElement>("State").value;
  expect(state()).toBe("resolved");
  rerender(form({ search: "", parts: {}, state: undefined }));
  expect(state()).toBe("");
  expect(screen.getByRole<HTMLInputElement>("searchbox").value).toBe("");
});
