import { screen } from "@testing-library/react";
import { expect, onTestFinished, test, vi } from "vitest";
import { errorData, listData } from "@/packages/inbox/src/views/page-data";
import { anyError, openInbox, runningRelease } from "@/packages/inbox/tests/support/inbox";
import { now, pageOf, show } from "@/packages/inbox/tests/support/pages";
import type { StoredReport } from "@/packages/relay/src/outbox/reports";
import { envelope, errorEvent, stored } from "@/tests/support/envelopes";

/** What the server answers from now on, as a function of how often it was asked. */
function answer(with_: () => Promise<string | number>) {
  const asked = vi.fn(async () => {
    const found = await with_();
    return typeof found === "number"
      ? new Response("", { status: found })
      : new Response(found, { headers: { "Content-Type": "text/html" } });
  });
  vi.stubGlobal("fetch", asked);
  return asked;
}

/** Runs the page's script, until the test ends. Time stands still from then on, for stores too. */
async function runScript() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const add = vi.spyOn(document, "addEventListener");
  vi.resetModules();
  await import("@/packages/inbox/src/assets/refresh.js");
  const added = [...add.mock.calls];
  add.mockRestore();
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    for (const [type, listener] of added) document.removeEventListener(type, listener);
  });
}

const refresh = () => vi.advanceTimersByTimeAsync(2500);

function errorNamed(id: number, type: string): StoredReport {
  const exception = { values: [{ type, value: "no" }] };
  return stored(id, envelope([["event", errorEvent({ exception })]]), { receivedAt: now + id });
}

async function listOf(...reports: StoredReport[]) {
  const { sources } = await openInbox(reports);
  return listData(sources, { ...anyError, name: "errors" });
}

const status = () => document.querySelector(".status")?.getAttribute("data-state");

test("a refresh brings what is new, and keeps focus, what is typed, selected and open", async () => {
  const [one, two] = [errorNamed(1, "One"), errorNamed(2, "Two")];
  // The first one has come again, so it is the newest; a third one is new.
  const fresh = await listOf(two, errorNamed(3, "Three"), errorNamed(4, "One"));
  const later = await listOf(errorNamed(5, "One"), errorNamed(6, "Three"));
  await show(await listOf(one, two));
  await runScript();
  const box = screen.getByRole<HTMLInputElement>("checkbox", { name: "One no" });
  const search = screen.getByRole<HTMLInputElement>("searchbox");
  const filters = screen.getByText("Filters").closest("details") as HTMLDetailsElement;
  box.checked = true;
  search.value = "typed";
  search.focus();
  filters.open = true;
  answer(() => pageOf(fresh));
  await refresh();
  const rows = screen.getAllByRole("listitem").map((row) => row.querySelector("b")?.textContent);
  expect(rows).toEqual(["One", "Three", "Two"]);
  expect(screen.getByRole("checkbox", { name: "One no" })).toBe(box);
  expect(box.checked).toBe(true);
  expect(search.isConnected).toBe(true);
  expect(search.value).toBe("typed");
  expect(search).toHaveFocus();
  expect(filters.open).toBe(true);
  box.focus();
  answer(() => pageOf(later));
  await refresh();
  expect(screen.getAllByRole("checkbox")).toHaveLength(2);
  expect(box).toHaveFocus();
  expect(status()).toBe("active");
});

test("two causes of one name stay two", async () => {
  const values = ["first", "second", "last"].map((value) => ({ type: "Error", value }));
  const event = errorEvent({ exception: { values } });
  const { sources } = await openInbox([stored(1, envelope([["event", event]]))]);
  const { groups } = await sources.groups.page(anyError);
  const asked = { id: groups[0]?.id ?? "", eventId: undefined, runningRelease, now };
  const view = (await errorData(sources, asked))?.view;
  if (!view) throw new Error("Expected an error, got none");
  await show(view);
  await runScript();
  const before = document.body.textContent;
  answer(() => pageOf(view));
  await refresh();
  expect(document.body.textContent).toBe(before);
  expect(screen.getAllByRole("heading", { name: "Caused by: Error" })).toHaveLength(2);
});

test("it says when the server is away, and when only a reload helps", async () => {
  const page = await pageOf(await listOf());
  await show(await listOf());
  await runScript();
  expect(status()).toBe("active");
  const away = answer(async () => 503);
  await refresh();
  expect(status()).toBe("lost");
  await refresh();
  expect(away).toHaveBeenCalledTimes(1);
  answer(async () => page);
  await refresh();
  expect(status()).toBe("active");
  answer(async () => page.replace("refresh.js", "refresh.other.js"));
  await refresh();
  expect(status()).toBe("outdated");
  const none = answer(async () => page);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(none).not.toHaveBeenCalled();
});

test("a page that the server refuses is asked for no more", async () => {
  await show(await listOf());
  await runScript();
  const asked = answer(async () => 404);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(status()).toBe("outdated");
  expect(asked).toHaveBeenCalledTimes(1);
});

test("the reader can pause it, and go on", async () => {
  const page = await pageOf(await listOf(errorNamed(1, "One")));
  await show(await listOf());
  await runScript();
  const asked = answer(async () => page);
  screen.getByText("Pause").click();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([status(), asked.mock.calls.length]).toEqual(["paused", 0]);
  screen.getByText("Resume").click();
  await refresh();
  expect(status()).toBe("active");
  expect(screen.getByRole("link", { name: "One no" })).toBeVisible();
});

test("text for an issue can be copied, and stands there where it can't", async () => {
  const { sources } = await openInbox([stored(1, envelope([["event", errorEvent()]]))]);
  const { groups } = await sources.groups.page(anyError);
  const asked = { id: groups[0]?.id ?? "", eventId: undefined, runningRelease, now };
  const data = await errorData(sources, asked);
  if (!data) throw new Error("Expected an error, got none");
  await show(data.view);
  await runScript();
  const text = screen.getByLabelText<HTMLTextAreaElement>("Text for an issue (Markdown)");
  expect(text.value).toContain("## ` TypeError `");
  const details = text.closest("details");
  expect(details).not.toHaveAttribute("open");
  const copied: string[] = [];
  const clipboard = {
    writeText: async (given: string) => {
      if (copied.length > 0) throw new Error("Not allowed.");
      copied.push(given);
    },
  };
  vi.stubGlobal("navigator", { ...navigator, clipboard });
  const button = screen.getByRole("button", { name: "Copy as Markdown" });
  button.click();
  await vi.waitFor(() => expect(screen.getByRole("status")).toHaveTextContent("Copied"));
  expect(copied).toEqual([text.value]);
  answer(() => pageOf(data.view));
  await refresh();
  expect(screen.getByRole("status")).toHaveTextContent("Copied");
  button.click();
  await vi.waitFor(() =>
    expect(screen.getByRole("status")).toHaveTextContent("The browser does not allow it."),
  );
  expect(details).toHaveAttribute("open");
});

test("what is removed is the event that was shown when its form was opened, and the button names it", async () => {
  const ids = ["a".repeat(32), "b".repeat(32)];
  const reports = ids.map((id, i) =>
    stored(i + 1, envelope([["event", errorEvent({ event_id: id })]])),
  );
  const { sources } = await openInbox(reports);
  const { groups } = await sources.groups.page(anyError);
  const viewOf = async (eventId?: string) => {
    const asked = { id: groups[0]?.id ?? "", eventId, runningRelease, now };
    const data = await errorData(sources, asked);
    if (!data) throw new Error("Expected an error, got none");
    return data.view;
  };
  const other = await viewOf(ids[1]);
  const { container } = await show(await viewOf(ids[0]));
  await runScript();
  const removes = () => container.querySelector('input[name="event"]')?.getAttribute("value");
  const details = screen.getByText("Remove…").closest("details") as HTMLDetailsElement;
  details.open = true;
  answer(() => pageOf(other));
  await refresh();
  expect(container.querySelector('[aria-current="page"]')?.getAttribute("href")).toContain(ids[1]);
  expect(removes()).toBe(ids[0]);
  expect(screen.getByRole("button", { name: "Remove this event aaaaaaaa" })).toBeVisible();
  details.open = false;
  await refresh();
  expect(removes()).toBe(ids[1]);
});
