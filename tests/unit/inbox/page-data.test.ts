import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { errorReportView } from "@/lib/inbox/views/error-report-view";
import { formatter } from "@/lib/inbox/views/formatter";
import { errorData } from "@/lib/inbox/views/page-data";
import type { FrameResolver } from "@/lib/source-maps/resolve-frames";
import {
  envelope,
  errorEvent,
  feedbackEvent,
  someEventId,
  stored,
} from "@/tests/support/envelopes";
import { anyError, openInbox } from "@/tests/support/inbox";

const found: FrameResolver = async (frames) =>
  frames.map(() => ({
    resolved: true,
    file: "pages/a.tsx",
    line: 7,
    column: 3,
    function: "load",
    own: true,
    code: { before: ["a"], line: "fail();", after: [] },
  }));

test("an error outlives its report: its stack, numbers and feedback are still shown", async () => {
  const id = someEventId();
  const frame = { filename: "app:///_next/static/chunks/a.js", lineno: 1, colno: 1, in_app: true };
  const values = [{ type: "TypeError", value: "broken", stacktrace: { frames: [frame] } }];
  const thrown = envelope([["event", errorEvent({ event_id: id, exception: { values } })]]);
  const reports = [
    stored(1, thrown),
    stored(2, envelope([["feedback", feedbackEvent("I clicked", id)]])),
  ];
  const { file, sources } = await openInbox(reports, { resolver: found });
  const db = new Database(file);
  db.exec("DELETE FROM reports");
  db.close();
  const { group = "" } = (await sources.errors.event(id)) ?? {};
  const data = await errorData(sources, { ...anyError, id: group, eventId: id });
  if (!data) throw new Error("Expected an error, got none");
  expect(data.payload).toBeUndefined();
  const view = errorReportView(data.asked, formatter(anyError.now));
  expect(view).toMatchObject({
    type: "TypeError",
    message: "broken",
    gone: true,
    facts: { count: "1", reference: id, releases: "1.0.0" },
    exceptions: [
      {
        type: "TypeError",
        frames: [
          {
            own: true,
            frames: [
              {
                function: "load",
                place: "pages/a.tsx:7:3",
                source: { line: "fail();", number: 7 },
              },
            ],
          },
        ],
      },
    ],
    feedback: [{ message: "I clicked" }],
    occurrences: [{ eventId: id, current: true }],
  });
  expect(view.download).toBeUndefined();
});
