import type { Frame } from "@/lib/inbox/event-detail";
import type { FrameGroup } from "./error-view";
import styles from "./stack.module.css";
import type { InboxTexts } from "./texts";

/** The calls that led to an exception, newest first; those inside libraries folded away. */
export function Stack({ groups, texts }: { groups: FrameGroup[]; texts: InboxTexts }) {
  if (groups.length === 0) return <p className={styles.none}>{texts.noStack}</p>;
  const hasOwn = groups.some((group) => group.own);
  return (
    <ol className={styles.stack} dir="ltr">
      {groups.map((group, i) => {
        const frames = group.frames.map((frame, j) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: frames have no identity but their place
          <Call key={j} frame={frame} texts={texts} />
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
                    {texts.libraries}: {group.frames.length}
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

function Call({ frame, texts }: { frame: Frame; texts: InboxTexts }) {
  const { source } = frame;
  return (
    <div className={styles.call}>
      <code>
        {frame.function ?? <bdi className={styles.nameless}>{texts.anonymousFunction}</bdi>}
      </code>{" "}
      <code className={styles.place}>{frame.place}</code>
      {source && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre tabIndex={0}>
          {source.before.join("\n")}
          {source.before.length > 0 && "\n"}
          <mark>{source.line}</mark>
          {source.after.length > 0 && "\n"}
          {source.after.join("\n")}
        </pre>
      )}
    </div>
  );
}
