import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import type { ErrorFilter } from "@/packages/inbox/src/model/error-filter";
import type { ViewName } from "@/packages/inbox/src/views/hrefs";
import { errorData, listData, visitData } from "@/packages/inbox/src/views/page-data";
import {
  anyError,
  decide,
  type GroupDecision,
  openInbox,
  runningRelease,
} from "@/packages/inbox/tests/support/inbox";
import { now, show } from "@/packages/inbox/tests/support/pages";
import type { Drops } from "@/packages/relay/src/envelope/client-report";
import type { StoredReport } from "@/packages/relay/src/outbox/reports";
import { envelope, errorEvent, feedbackEvent, stored } from "@/tests/support/envelopes";

const hostile = `<img src=x onerror=alert(1)> javascript:alert(2) </script>`;

/** An inbox with these reports, and what was decided about the newest error. */
async function inboxOf(reports: StoredReport[], { drops = [], decided }: Setting = {}) {
  const { outbox, sources } = await openInbox(reports);
  if (drops.length > 0) await outbox.countDrops(drops);
  const { groups } = await sources.groups.page(anyError);
  const id = groups[0]?.id ?? "";
  if (decided) await decide(outbox.driver, id, decided.state, decided.since);
  return { ...sources, id };
}

interface Setting {
  drops?: Drops[] | undefined;
  decided?: GroupDecision | undefined;
}

interface ListSetting extends Setting {
  page?: number;
  filter?: ErrorFilter;
}

async function showList(reports: StoredReport[], name: ViewName, setting: ListSetting = {}) {
  const { page = 1, filter = anyError.filter } = setting;
  const { id, ...sources } = await inboxOf(reports, setting);
  const view = await listData(sources, { ...anyError, name, page, filter });
  return { ...(await show(view)), id };
}

async function showError(reports: StoredReport[], decided?: GroupDecision, server?: string) {
  const { id, ...sources } = await inboxOf(reports, { decided });
  const data = await errorData(sources, { id, eventId: undefined, runningRelease, now });
  if (!data) throw new Error("Expected an error, got none");
  return show({ ...data.view, server });
}

async function showVisit(reports: StoredReport[], traceId: string) {
  const { id, ...sources } = await inboxOf(reports);
  const view = await visitData(sources, traceId);
  if (!view) throw new Error("Expected a visit, got none");
  return { ...(await show(view)), id };
}

test("it says how much was dropped, where anything was", async () => {
  const drops: Drops[] = [
    { reason: "cache_overflow", category: "error", quantity: 1200 },
    { reason: "network_error", category: "span", quantity: 34 },
  ];
  await showList([], "errors", { drops });
  const line = "Entries dropped (too old, or no space left): 1,234";
  expect(screen.getByText(line)).toBeVisible();
  document.body.replaceChildren();
  await showList([], "errors");
  expect(screen.queryByText(/dropped/)).toBeNull();
});

function vitalsReport(id: number, measurements: Record<string, number>): StoredReport {
  return stored(
    id,
    envelope([
      [
        "transaction",
        {
          transaction: "/dynamic/[id]",
          measurements: Object.fromEntries(
            Object.entries(measurements).map(([name, value]) => [name, { value }]),
          ),
        },
      ],
    ]),
  );
}

test("an error is one line that leads to its page, with what, where, how often and when", async () => {
  const event = envelope([["event", errorEvent()]]);
  await showList([stored(1, event), stored(2, envelope([["event", errorEvent()]]))], "errors");
  const [row, ...others] = screen.getAllByRole("listitem");
  expect(others).toEqual([]);
  const link = within(row as HTMLElement).getByRole("link", { name: "TypeError nothing there" });
  expect(link.getAttribute("href")).toMatch(/^\/reports\/b?[0-9a-f]{16}$/);
  expect(row).toHaveTextContent("/failures/client-event");
  expect(row).toHaveTextContent("browser");
  expect(row).toHaveTextContent("1.0.0");
  expect(row).toHaveTextContent("Times seen: 2");
  expect(row).toHaveTextContent("Last seen: 9 min. ago");
});

test("a row of bars says in words how often it was seen on which day", async () => {
  const day = 24 * 3600 * 1000;
  const reports = [now - 2 * day, now - day, now, now].map((receivedAt, i) =>
    stored(i + 1, envelope([["event", errorEvent()]]), { receivedAt }),
  );
  await showList(reports, "errors");
  expect(screen.getByRole("img")).toHaveAccessibleName(
    "Last 7 days, today last: 0, 0, 0, 0, 1, 1, 2",
  );
});

test("a row says what was decided, and can be selected to decide something else", async () => {
  const event = envelope([["event", errorEvent({ release: "2.0.0" })]]);
  const decided = { state: "resolved", since: now } as const;
  const { id: group } = await showList([stored(1, event)], "errors", { decided });
  const row = screen.getByRole("listitem");
  expect(row).toHaveTextContent("resolved");
  expect(row).toHaveTextContent("new in this release");
  const box = within(row).getByRole("checkbox", { name: "TypeError nothing there" });
  expect(box).toHaveAttribute("value", group);
  expect(box.closest("form")).toHaveAttribute("method", "post");
  for (const [name, value] of [
    ["Resolve", "resolved"],
    ["Ignore", "ignored"],
    ["Reopen", "open"],
  ]) {
    expect(screen.getByRole("button", { name })).toHaveAttribute("value", value);
  }
});

test.each([
  ["resolved" as const, now, "resolved", ["Ignore", "Reopen"]],
  ["resolved" as const, 0, "came back", ["Resolve", "Ignore"]],
  ["ignored" as const, 0, "ignored", ["Resolve", "Reopen"]],
  [undefined, 0, undefined, ["Resolve", "Ignore"]],
])(
  "the page of an error offers what can be decided about it: %s, since %i",
  async (state, since, said, buttons) => {
    const decided = state && { state, since };
    await showError([stored(1, envelope([["event", errorEvent()]]))], decided);
    const form = screen.getByRole("form", { name: "This error" });
    expect(form.querySelector("strong")?.textContent).toBe(said);
    expect(
      within(form)
        .getAllByRole("button")
        .map((button) => button.textContent),
    ).toEqual(buttons);
    expect(form.querySelector("[name=seen]")).toHaveAttribute("value", String(now));
  },
);

test("where only ignored errors are left, a link shows them, and where nothing matches, one clears the filters", async () => {
  const event = envelope([["event", errorEvent()]]);
  const decided = { state: "ignored", since: 0 } as const;
  const { unmount } = await showList([stored(1, event)], "errors", { decided });
  expect(screen.getByRole("link", { name: "Show the ignored ones" })).toHaveAttribute(
    "href",
    "/reports?state=ignored",
  );
  unmount();
  const filter = { search: "f".repeat(32), parts: { release: "9" }, state: undefined };
  await showList([stored(1, event)], "errors", { filter });
  expect(screen.getByRole("link", { name: "Clear them" })).toHaveAttribute("href", "/reports");
  expect(screen.getByRole("searchbox")).toHaveAccessibleDescription(
    "No error with this reference is kept here.",
  );
  expect(screen.getByRole("combobox", { name: "Release" })).toHaveValue("9");
  expect(screen.queryByRole("combobox", { name: "Route" })).toBeNull();
});

test("from the list of a user's errors, the page of one lists that user's occurrences", async () => {
  const ids = ["a".repeat(32), "b".repeat(32)];
  const reports = ids.map((event_id, i) =>
    stored(i + 1, envelope([["event", errorEvent({ event_id, user: { id: `7${i}` } })]])),
  );
  const { id, ...sources } = await inboxOf(reports);
  const filter = { ...anyError.filter, search: "user.id:70" };
  const list = await listData(sources, { ...anyError, name: "errors", filter });
  await show(list);
  const href = `/reports/${id}?event=${ids[0]}&user=70`;
  expect(screen.getByRole("link", { name: /nothing there/ })).toHaveAttribute("href", href);
  document.body.replaceChildren();
  const asked = { id, eventId: undefined, user: "70", runningRelease, now };
  const data = await errorData(sources, asked);
  if (!data) throw new Error("Expected an error, got none");
  await show(data.view);
  const section = screen.getByRole("heading", { name: "Latest occurrences of the user 70" });
  const links = within(section.parentElement as HTMLElement).getAllByRole("link");
  expect(links.map((link) => link.getAttribute("href"))).toEqual([href]);
});

test("a visit shows in words what its bars show, nested as it happened", async () => {
  const traceId = "a".repeat(32);
  const span = { trace_id: traceId, op: "resource.script", parent_span_id: "1", span_id: "2" };
  const visit = {
    transaction: "/dynamic/[id]",
    start_timestamp: 1_800_000_000,
    timestamp: 1_800_000_001,
    contexts: { trace: { trace_id: traceId, span_id: "1", op: "pageload" } },
    spans: [
      {
        ...span,
        description: "/a.js",
        start_timestamp: 1_800_000_000.5,
        timestamp: 1_800_000_000.75,
      },
    ],
    measurements: { lcp: { value: 3000 } },
  };
  const error = errorEvent({ contexts: { trace: { trace_id: traceId } } });
  const reports = [
    stored(1, envelope([["transaction", visit]])),
    stored(2, envelope([["event", error]])),
  ];
  const { container, id } = await showVisit(reports, traceId);
  expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("One visit /dynamic/[id]");
  expect(screen.getByText("needs improvement")).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "TypeError nothing there" })).toHaveAttribute(
    "href",
    `/reports/${id}?event=${error.event_id}`,
  );
  const rows = [...container.querySelectorAll("ol > li")].filter((row) => row.querySelector("svg"));
  expect(rows.map((row) => row.textContent)).toEqual([
    "browser pageload /dynamic/[id]1\u00a0s begins after 0\u00a0ms",
    "resource.script /a.js250\u00a0ms begins after 500\u00a0ms",
  ]);
  expect(rows[1]?.querySelector("path:last-child")).toHaveAttribute("d", "M500 3h250v6h-250z");
  expect(rows[1]?.querySelector("p")).toHaveAttribute("data-depth", "1");
});

test.each([
  ["errors" as const, "No errors yet"],
  ["performance" as const, "No measurements yet"],
  ["feedback" as const, "No feedback yet"],
])("where there are no %s yet, it says what to do next", async (name, heading) => {
  await showList([], name);
  expect(screen.getByRole("heading", { name: heading })).toBeVisible();
  expect(screen.getByRole("link", { name: "open the app" })).toHaveAttribute("href", "/");
});

test("performance says in words and numbers what the bars show", async () => {
  await showList([vitalsReport(1, { lcp: 2000, cls: 0.2, ttfb: 5000 })], "performance");
  const heading = screen.getByRole("heading", { name: "/dynamic/[id]" });
  // It may wrap after each slash, and so not within a segment.
  expect(heading.querySelectorAll("wbr")).toHaveLength(2);
  const route = heading.closest("section");
  const cells = within(route as HTMLElement).getAllByRole("listitem");
  expect(cells.map((cell) => cell.textContent)).toEqual([
    "LCP2\u00a0sgoodMeasured: 1",
    "INP–",
    "CLS0.2needs improvementMeasured: 1",
    "FCP–",
    "TTFB5\u00a0spoorMeasured: 1",
  ]);
  for (const drawing of route?.querySelectorAll("svg") ?? []) {
    expect(drawing).toHaveAttribute("aria-hidden", "true");
  }
  expect(screen.getByText(/good up to 2\.5 s, poor over 4 s/)).toBeInTheDocument();
});

test("a visit counts once, however often its interactions were measured", async () => {
  const attributes = {
    "sentry.transaction": "/dynamic/[id]",
    "browser.web_vital.inp.value": 40,
  };
  const reports = [
    vitalsReport(1, { lcp: 900, inp: 40 }),
    stored(2, envelope([["span", { span_id: "1".repeat(16), attributes }]])),
  ];
  await showList(reports, "performance");
  const route = screen.getByRole("heading", { name: "/dynamic/[id]" }).closest("section");
  expect(route).toHaveTextContent("Visits measured: 1");
  expect(route).toHaveTextContent("INP40 msgoodMeasured: 2");
});

test("request durations stand with the route they belong to", async () => {
  const requests = [100, 200, 300, 400].map((ms, i) =>
    stored(
      i + 1,
      envelope([
        [
          "transaction",
          {
            transaction: "GET /server",
            start_timestamp: 1000,
            timestamp: 1000 + ms / 1000,
            contexts: {
              trace: { op: "http.server", data: { "http.response.status_code": i ? 200 : 500 } },
            },
          },
        ],
      ]),
      { origin: "server" },
    ),
  );
  await showList(requests, "performance");
  const route = screen.getByRole("heading", { name: "/server" }).closest("section");
  expect(route).toHaveTextContent(
    "Server requests4Half within200 ms75% within300 ms95% within400 msFailed25%",
  );
});

test("what an error says reads by its own direction, whatever its type is written in", async () => {
  const [cause, message] = ["لا يوجد سعر.", "تعذّر حفظ الطلب."];
  const values = [
    { type: "TypeError", value: cause },
    { type: "ValidationError", value: message },
  ];
  const reports = [stored(1, envelope([["event", errorEvent({ exception: { values } })]]))];
  await showList(reports, "errors");
  expect(screen.getByText(message).tagName).toBe("BDI");
  document.body.replaceChildren();
  await showError(reports);
  for (const text of [cause, message])
    expect(screen.getByText(text, { selector: "p" })).toHaveAttribute("dir", "auto");
});

test("feedback stands in its list, and leads to the error it is about", async () => {
  const event = errorEvent();
  await showList(
    [
      stored(1, envelope([["event", event]])),
      stored(2, envelope([["feedback", feedbackEvent("I clicked", String(event.event_id))]])),
      stored(3, envelope([["feedback", feedbackEvent("Long ago", "f".repeat(32))]])),
    ],
    "feedback",
  );
  const [latest, first] = screen.getAllByRole("listitem");
  expect(latest).toHaveTextContent("About: an error no longer kept");
  expect(within(first as HTMLElement).getByRole("link")).toHaveAccessibleName(
    "TypeError: nothing there",
  );
});

test("of very many messages about one error the newest are shown, and the rest is counted", async () => {
  const event = errorEvent();
  const about = String(event.event_id);
  const messages = Array.from({ length: 45 }, (_, n) =>
    stored(2 + n, envelope([["feedback", feedbackEvent(`message ${n}`, about)]])),
  );
  await showError([stored(1, envelope([["event", event]])), ...messages]);
  expect(screen.getByText("Older messages not shown: 5")).toBeVisible();
  expect(screen.getAllByText(/^message \d+$/)).toHaveLength(40);
});

test("the page of a visit with very many parts says how many are not shown", async () => {
  const trace = { trace_id: "7".repeat(32), span_id: "root", op: "pageload" };
  const part = { transaction: "/a", start_timestamp: 1, timestamp: 2, contexts: { trace } };
  const reports = Array.from({ length: 25 }, (_, n) =>
    stored(n + 1, envelope([["transaction", part]])),
  );
  await showVisit(reports, trace.trace_id);
  expect(screen.getByText(/^Parts not shown.*: 5$/)).toBeVisible();
});

test("feedback stands beside its error, and the list of errors says that there is some", async () => {
  const event = errorEvent();
  const reports = [
    stored(1, envelope([["event", event]])),
    stored(2, envelope([["feedback", feedbackEvent("I clicked", String(event.event_id))]])),
  ];
  const { unmount } = await showList(reports, "errors");
  expect(screen.getByRole("listitem")).toHaveTextContent("Messages: 1");
  unmount();
  await showError(reports);
  expect(screen.getByText("I clicked")).toBeInTheDocument();
});

test("the page of an error shows reference, stack, causes, breadcrumbs, tags and contexts", async () => {
  const event = errorEvent({
    exception: {
      values: [
        { type: "Cause", value: "of it all" },
        {
          type: "TypeError",
          value: "nothing there",
          stacktrace: {
            frames: [
              { function: "inner1", filename: "lib.js", in_app: false },
              { function: "inner2", filename: "lib.js", in_app: false },
              { function: "onClick", filename: "app:///button.tsx", lineno: 12, in_app: true },
            ],
          },
        },
      ],
    },
    breadcrumbs: [{ timestamp: 1_800_000_000, category: "ui.click", message: "button#go" }],
    tags: { tenant: "blue" },
    contexts: { os: { name: "Linux" } },
  });
  await showError([stored(1, envelope([["event", event]]))]);
  expect(screen.getByRole("heading", { level: 1, name: "TypeError" })).toBeInTheDocument();
  for (const text of [
    String(event.event_id),
    "/button.tsx:12",
    "of it all",
    "ui.click",
    "button#go",
  ]) {
    expect(screen.getAllByText(text).length).toBeGreaterThan(0);
  }
  expect(screen.getByText("Library frames: 2")).toBeInTheDocument();
  // The order in which they stand on a narrow screen.
  const parts = screen.getByRole("main").querySelectorAll("h2, dl[aria-label=Facts]");
  const names = [...parts].map((part) => part.getAttribute("aria-label") ?? part.textContent);
  expect(names.slice(0, 4)).toEqual(["Stack", "Caused by: Cause", "Facts", "Breadcrumbs"]);
  expect(screen.getByText("blue")).toBeInTheDocument();
  expect(screen.getByText("Linux")).toBeInTheDocument();
});

test("a report that came to one of several servers says to which", async () => {
  const report = stored(1, envelope([["event", errorEvent()]]));
  const { unmount } = await showError([report], undefined, "web-2");
  expect(screen.getByText("Server").closest("div")).toHaveTextContent("Serverweb-2");
  unmount();
  await showError([report]);
  expect(screen.queryByText("Server")).toBeNull();
});

test("code has line numbers, its failing line a mark that is no colour, and the keyboard scrolls it", async () => {
  const frame = {
    function: "onClick",
    filename: "pages/a.tsx",
    lineno: 9,
    in_app: true,
    pre_context: ["{", ""],
    context_line: "  fail();",
    post_context: ["}"],
  };
  const values = [{ type: "E", value: "v", stacktrace: { frames: [frame] } }];
  const { container } = await showError([
    stored(1, envelope([["event", errorEvent({ exception: { values } })]])),
  ]);
  const code = container.querySelector("pre");
  expect(code?.textContent).toBe("   7{\n   8\n>  9  fail();\n  10}\n");
  expect(code?.querySelector("mark")?.textContent).toBe(">  9  fail();\n");
  code?.focus();
  expect(code).toHaveFocus();
  expect(code?.closest("[dir]")).toHaveAttribute("dir", "ltr");
});

test.each([
  [true, "yes, by the app"],
  [false, "no"],
  [undefined, undefined],
])(
  "facts say whether the error was handled, where the report says it: %s",
  async (handled, said) => {
    const values = [{ type: "E", value: "v", mechanism: { handled } }];
    await showError([stored(1, envelope([["event", errorEvent({ exception: { values } })]]))]);
    expect(screen.queryByText("Handled")?.closest("dt")?.nextSibling?.textContent).toBe(said);
    expect(screen.queryByText("Request")).toBeNull();
    expect(screen.getByText("Happened in").closest("div")).toHaveTextContent("Happened inbrowser");
  },
);

test("measurements without a route stand together", async () => {
  const trace = { trace_id: "a".repeat(32) };
  const nameless = { contexts: { trace }, measurements: { lcp: { value: 1 } } };
  await showList([stored(1, envelope([["transaction", nameless]]))], "performance");
  expect(screen.getByRole("heading", { name: "unknown route" })).toBeInTheDocument();
});

test("whatever a report holds is shown as text, and leads nowhere", async () => {
  const event = errorEvent({
    exception: {
      values: [
        {
          type: hostile,
          value: hostile,
          stacktrace: { frames: [{ function: hostile, filename: hostile, context_line: hostile }] },
        },
      ],
    },
    transaction: hostile,
    release: hostile,
    environment: hostile,
    tags: { [hostile]: hostile },
    contexts: { [hostile]: { [hostile]: hostile } },
    breadcrumbs: [{ category: hostile, message: hostile, data: { [hostile]: hostile } }],
    request: { url: "javascript:alert(1)", method: hostile },
  });
  const feedback = feedbackEvent(hostile, String(event.event_id)) as {
    contexts: { feedback: Record<string, string> };
  };
  Object.assign(feedback.contexts.feedback, {
    name: hostile,
    contact_email: hostile,
    url: hostile,
  });
  const reports = [
    stored(1, envelope([["event", event]])),
    stored(2, envelope([["feedback", feedback]])),
    stored(
      3,
      envelope([["transaction", { transaction: hostile, measurements: { lcp: { value: 1 } } }]]),
    ),
  ];
  const pages = [
    () => showList(reports, "errors"),
    () => showList(reports, "performance"),
    () => showList(reports, "feedback"),
    () => showError(reports),
  ];
  for (const page of pages) {
    const { container, unmount } = await page();
    expect(container).toHaveTextContent("<img src=x onerror=alert(1)>");
    expect(container.querySelector("img, script")).toBeNull();
    for (const link of container.querySelectorAll("a")) {
      expect(link.getAttribute("href")).toMatch(/^\/($|reports|feedback)/);
    }
    unmount();
  }
});

test("more errors than fit on a page are on the next", async () => {
  const reports = Array.from({ length: 100 }, (_, i) =>
    stored(
      i + 1,
      envelope([
        ["event", errorEvent({ exception: { values: [{ type: `E${i}`, value: "no" }] } })],
      ]),
    ),
  );
  await showList(reports, "errors", { page: 3 });
  expect(screen.getAllByRole("listitem")).toHaveLength(20);
  expect(screen.getByRole("link", { name: "Newer" })).toHaveAttribute("href", "/reports?page=2");
  expect(screen.queryByRole("link", { name: "Older" })).toBeNull();
  expect(screen.getByText("Page 3 of 3")).toBeVisible();
});

test("what could not be read is counted in sight", async () => {
  await showList([stored(1, Buffer.from("nonsense"))], "errors");
  expect(screen.getByText("Entries that could not be read: 1")).toBeInTheDocument();
});

test("a message is called one, with its level", async () => {
  const event = errorEvent({ exception: undefined, level: "warning", message: "disk is filling" });
  await showList([stored(1, envelope([["event", event]]))], "errors");
  expect(screen.getByRole("link", { name: "Message · warning disk is filling" })).toBeVisible();
});

test("a message of a level that Sentry doesn't know shows it as it came", async () => {
  const event = errorEvent({ exception: undefined, level: "toString", message: "x" });
  await showError([stored(1, envelope([["event", event]]))]);
  expect(screen.getByRole("heading", { level: 1, name: "Message · toString" })).toBeVisible();
});

test("what is kept but not shown is named with its number", async () => {
  await showList(
    [
      stored(
        1,
        envelope([
          ["check_in", {}],
          ["log", {}],
          ["log", {}],
        ]),
      ),
    ],
    "errors",
  );
  expect(screen.getByText(/^Kept, but not shown here/)).toHaveTextContent(
    "Kept, but not shown here: Logs 2 · Check-ins 1",
  );
});
