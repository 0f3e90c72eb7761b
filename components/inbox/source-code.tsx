import type { SourceLines } from "@/lib/inbox/model/event-detail";
import styles from "./source-code.module.css";

/** The line that a call came from, marked, and the lines around it. */
export function SourceCode({ source }: { source: SourceLines }) {
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
