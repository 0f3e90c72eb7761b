import type { Frame } from "../model/events.ts";
import { formatCount } from "./format.ts";
import type { ErrorView } from "./page-data.ts";
import { texts } from "./texts.ts";

/**
 * An error's page as Markdown, for an issue. What the report holds is untrusted: it stands in code
 * spans and fenced blocks only, which show it as it is.
 * Source: https://spec.commonmark.org/0.31.2/#code-spans and #fenced-code-blocks
 */
export function errorMarkdown({ group, event, detail, ...view }: ErrorView): string {
  const { report, origins } = texts;
  const lines: [label: string, value: string | null | undefined][] = [
    [report.routes, view.routes],
    [report.releases, view.releases],
    [report.environment, event.environment],
    [report.origins, group.origins.map((origin) => origins[origin]).join(" + ")],
    [report.request, detail.request],
    [report.count, formatCount(group.count)],
    [report.first, new Date(group.firstAt).toISOString()],
    [report.last, new Date(group.lastAt).toISOString()],
    [report.reference, event.eventId],
    [report.traceId, event.traceId],
  ];
  const shown = lines.flatMap(([label, value]) =>
    value ? [`- ${label}: ${codeSpan(value)}`] : [],
  );
  return [
    `## ${codeSpan(group.type)}`,
    fenced(view.message),
    shown.join("\n"),
    ...detail.exceptions.flatMap(({ type, message, frames }, i) => [
      `### ${i === 0 ? report.stack : report.causedBy}`,
      fenced(stackText(`${type}: ${message}`, frames)),
    ]),
    "",
  ].join("\n\n");
}

/** The calls, with the source of the first one that has it. */
function stackText(headline: string, frames: Frame[]): string {
  const withSource = frames.find(({ source }) => source);
  const calls = frames.flatMap((frame) => {
    const call = `    at ${frame.function ?? "?"} (${frame.place})`;
    return frame === withSource ? [call, ...sourceText(frame)] : [call];
  });
  return [headline, ...calls].join("\n");
}

function sourceText({ source }: Frame): string[] {
  if (!source) return [];
  const { before, line, after, number } = source;
  return [...before, line, ...after].map((text, i) => {
    const isFailing = i === before.length;
    const at = number === undefined ? "" : String(number - before.length + i);
    return `      ${isFailing ? ">" : " "} ${at.padStart(5)} | ${text}`;
  });
}

/** A code span is delimited by more backticks in a row than it holds, and has no line breaks. */
function codeSpan(text: string): string {
  const delimiter = "`".repeat(longestRun(text) + 1);
  return `${delimiter} ${text.replace(/\s+/g, " ")} ${delimiter}`;
}

/** So is a fenced block, by three or more. */
function fenced(text: string): string {
  const fence = "`".repeat(Math.max(longestRun(text) + 1, 3));
  return `${fence}text\n${text}\n${fence}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
