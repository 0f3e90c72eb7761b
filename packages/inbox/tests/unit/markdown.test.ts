import { expect, test } from "vitest";
import { eventDetail } from "@/packages/inbox/src/views/event-detail";
import { errorMarkdown } from "@/packages/inbox/src/views/markdown";
import type { ErrorView } from "@/packages/inbox/src/views/page-data";

const time = Date.parse("2026-05-07T10:00:00.000Z");

function viewOf({ text = "nothing there", type = "TypeError" }): ErrorView {
  const source = { before: ["{"], line: text, after: ["}"], number: 9 };
  const frame = { function: "onClick", place: "pages/a.tsx:9:3", own: true, source };
  const same = { kind: "error", type, message: text } as const;
  return {
    kind: "error",
    group: {
      ...same,
      id: "0".repeat(16),
      count: 3,
      firstAt: time,
      lastAt: time,
      isNew: false,
      status: "open",
      days: [],
      origins: ["browser"],
    },
    event: {
      ...same,
      eventId: "f".repeat(32),
      reportId: 1,
      group: "0".repeat(16),
      at: time,
      origin: "browser",
      route: "/a",
      release: text,
      environment: null,
      traceId: null,
      userId: null,
      stackId: null,
    },
    message: text,
    routes: "/a",
    releases: text,
    server: undefined,
    isMeasured: false,
    gone: false,
    detail: {
      ...eventDetail({}),
      exceptions: [{ type: "TypeError", message: text, frames: [frame] }],
    },
    occurrences: [],
    feedback: [],
    leftMessages: 0,
  };
}

test("an issue gets what was thrown, where and when, and the source", () => {
  expect(errorMarkdown(viewOf({}))).toBe(`## \` TypeError \`

\`\`\`text
nothing there
\`\`\`

- Routes: \` /a \`
- Releases: \` nothing there \`
- Happened in: \` browser \`
- Times seen: \` 3 \`
- First seen: \` 2026-05-07T10:00:00.000Z \`
- Last seen: \` 2026-05-07T10:00:00.000Z \`
- Reference: \` ${"f".repeat(32)} \`

### Stack

\`\`\`text
TypeError: nothing there
    at onClick (pages/a.tsx:9:3)
            8 | {
      >     9 | nothing there
           10 | }
\`\`\`

`);
});

test.each([
  ["a fence of three", "x\n```\n# Heading <img src=x>\n```"],
  ["a longer fence", "x\n``````````\n[link](javascript:alert(1))"],
  ["a fence of tildes", "~~~\n# Heading\n~~~"],
  ["backticks at the ends", "`` x `"],
  ["other line breaks", "x\r\n````\r# Heading"],
])("what a report holds does not get out of its block: %s", (_, text) => {
  const markdown = errorMarkdown(viewOf({ text, type: text }));
  // What a reader of Markdown sees outside of blocks and spans.
  const outside = markdown
    .replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, "")
    .replace(/(?<!`)(`+)(?!`)(?:.*?[^`])\1(?!`)/g, "");
  expect(outside).not.toContain("Heading");
  expect(outside).not.toContain("link");
  expect(outside).not.toContain("x");
  expect(outside).not.toContain("~~~");
  expect(outside).toContain("### Stack");
});

test("a code span is delimited by more backticks than it holds, and is one line", () => {
  const markdown = errorMarkdown(viewOf({ type: "a ``` b ` c\n# d" }));
  expect(markdown).toContain("## ```` a ``` b ` c # d ````\n");
});
