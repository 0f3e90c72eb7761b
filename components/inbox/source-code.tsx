import type { SourceLines } from "@/lib/inbox/event-detail";
import styles from "./source-code.module.css";

/** The line that a call came from, marked, and the lines around it. */
export function SourceCode({ source }: { source: SourceLines }) {
  const { before, line, after, number } = source;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
    <pre className={styles.code} tabIndex={0}>
      {[...before, line, ...after].map((text, i) => {
        const failing = i === before.length;
        const Line = failing ? "mark" : "span";
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id
          <Line key={i}>
            <span className={styles.gutter}>
              {failing ? ">" : " "} {number === undefined ? "" : number - before.length + i}
            </span>
            {text}
            {"\n"}
          </Line>
        );
      })}
    </pre>
  );
}
