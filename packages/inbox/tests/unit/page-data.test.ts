import { expect, test } from "vitest";
import { errorData } from "@/packages/inbox/src/views/page-data";
import { anyError, openInbox } from "@/packages/inbox/tests/support/inbox";
import type { FrameResolver } from "@/packages/relay/src/source-maps/frames";
import {
  envelope,
  errorEvent,
  feedbackEvent,
  someEventId,
  stored,
} from "@/tests/support/envelopes";

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
  const { driver, sources } = await openInbox(reports, { resolve: found });
  await driver.transaction([{ text: "delete from {kept_reports}" }]);
  const { group = "" } = (await sources.reports.event(id)) ?? {};
  const data = await errorData(sources, { ...anyError, id: group, eventId: id });
  if (!data) throw new Error("Expected an error, got none");
  expect(data.payload).toBeUndefined();
  expect(data.view).toMatchObject({
    message: "broken",
    gone: true,
    group: { type: "TypeError", count: 1 },
    releases: "1.0.0",
    event: { eventId: id },
    detail: {
      exceptions: [
        {
          type: "TypeError",
          frames: [
            {
              own: true,
              function: "load",
              place: "pages/a.tsx:7:3",
              source: { line: "fail();", number: 7 },
            },
          ],
        },
      ],
    },
    feedback: [{ message: "I clicked" }],
    occurrences: [{ eventId: id }],
  });
});
