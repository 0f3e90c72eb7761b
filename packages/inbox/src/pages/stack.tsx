import type { Frame, SourceLines } from "../model/events.ts";

/** The calls that led to an exception, newest first. Those in libraries are collapsed. */
export function Stack({ frames: all }: { frames: Frame[] }) {
  if (all.length === 0) return <p className="muted">No stack came with this report.</p>;
  const groups = groupFrames(all);
  const hasOwn = all.some(({ own }) => own);
  return (
    <ol className="stack" dir="ltr">
      {groups.map((group, i) => {
        const frames = group.frames.map((frame, j) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: frames have no id
          <Call key={j} frame={frame} />
        ));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same
          <li key={i} className={group.own ? "own" : undefined}>
            {group.own || !hasOwn || group.frames.length === 1 ? (
              frames
            ) : (
              <details>
                <summary>{`Library frames: ${group.frames.length}`}</summary>
                {frames}
              </details>
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** Neighbouring frames of libraries are one group, each of the app's own is one. */
function groupFrames(frames: Frame[]): { own: boolean; frames: Frame[] }[] {
  const groups: { own: boolean; frames: Frame[] }[] = [];
  for (const frame of frames) {
    const last = groups.at(-1);
    if (last && !last.own && !frame.own) last.frames.push(frame);
    else groups.push({ own: frame.own, frames: [frame] });
  }
  return groups;
}

function Call({ frame }: { frame: Frame }) {
  const { source } = frame;
  return (
    <div>
      <code>{frame.function ?? <i className="muted">anonymous function</i>}</code>{" "}
      <code className="muted">{frame.place}</code>
      {source && <SourceCode source={source} />}
    </div>
  );
}

/** The line that a call came from, marked, and the lines around it. */
function SourceCode({ source }: { source: SourceLines }) {
  const { before, line, after, number } = source;
  const lines = [...before, line, ...after];
  const numberOf = (i: number) => (number === undefined ? "" : `${number - before.length + i}`);
  const width = numberOf(lines.length - 1).length;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
    <pre className="source" tabIndex={0}>
      {lines.map((text, i) => {
        const failing = i === before.length;
        const Line = failing ? "mark" : "span";
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id
          <Line key={i}>
            <span className="gutter">
              {failing ? ">" : " "} {numberOf(i).padStart(width)}
            </span>
            {text}
            {"\n"}
          </Line>
        );
      })}
    </pre>
  );
}
