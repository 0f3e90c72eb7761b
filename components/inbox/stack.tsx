import type { Frame, SourceLines } from "@/lib/inbox/model/event-detail";
import type { FrameGroup } from "@/lib/inbox/views/error-report-view";
import { inboxMessages } from "@/lib/messages/inbox";
import styles from "./stack.module.css";

/** The calls that led to an exception, newest first. Those in libraries are collapsed. */
export function Stack({ groups }: { groups: FrameGroup[] }) {
  const { report } = inboxMessages;
  if (groups.length === 0) return <p className={styles.none}>{report.noStack}</p>;
  const hasOwn = groups.some((group) => group.own);
  return (
    <ol className={styles.stack} dir="ltr">
      {groups.map((group, i) => {
        const frames = group.frames.map((frame, j) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: frames have no id
          <Call key={j} frame={frame} />
        ));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same
          <li key={i} className={group.own ? styles.own : undefined}>
            {group.own || !hasOwn || group.frames.length === 1 ? (
              frames
            ) : (
              <details>
                <summary>
                  <bdi>
                    {report.libraries}: {group.frames.length}
                  </bdi>
                </summary>
                {frames}
              </details>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function Call({ frame }: { frame: Frame }) {
  const { report } = inboxMessages;
  const { source } = frame;
  return (
    <div className={styles.call}>
      <code>
        {frame.function ?? <bdi className={styles.nameless}>{report.anonymousFunction}</bdi>}
      </code>{" "}
      <code className={styles.place}>{frame.place}</code>
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
    <pre className={styles.code} tabIndex={0}>
      {lines.map((text, i) => {
        const failing = i === before.length;
        const Line = failing ? "mark" : "span";
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id
          <Line key={i}>
            <span className={styles.gutter}>
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
