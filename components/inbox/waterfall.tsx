import type { SpanRow } from "@/lib/inbox/views/visit-view";
import { inboxMessages } from "@/lib/messages/inbox";
import { Unseen, Url } from "./values";
import styles from "./waterfall.module.css";

/**
 * What happened in a visit, each on a line of its own along one axis of time.
 *
 * @param props.ticks the times along the axis, from its begin to its end
 */
export function Waterfall({ rows, ticks }: { rows: SpanRow[]; ticks: string[] }) {
  return (
    <div className={styles.waterfall}>
      <p className={styles.axis} aria-hidden="true">
        {ticks.map((tick, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a short visit may have the same tick twice
          <bdi key={i}>{tick}</bdi>
        ))}
      </p>
      <ol>
        {rows.map((row, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: spans of other senders may have no id
          <Row key={i} row={row} />
        ))}
      </ol>
    </div>
  );
}

function Row({ row }: { row: SpanRow }) {
  const { visit, origins } = inboxMessages;
  const { from, length } = row.bar;
  return (
    <li>
      <p className={styles.name} style={{ paddingInlineStart: `${row.depth * 0.75}rem` }}>
        {row.depth === 0 && <span className={styles.origin}>{origins[row.origin]}</span>}
        <bdi dir="ltr" className={styles.op}>
          {row.op}
        </bdi>{" "}
        {row.name?.includes("/") ? (
          <Url>{row.name}</Url>
        ) : (
          <bdi dir="ltr">{row.name ?? visit.unnamed}</bdi>
        )}
        {row.failed && <strong className={styles.failed}> {visit.failed}</strong>}
      </p>
      <svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
        <path className={styles.marks} d="M250 0v10M500 0v10M750 0v10" />
        <path
          className={row.failed ? styles.bad : styles[row.origin]}
          d={`M${from} 1h${length}v8h${-length}z`}
        />
      </svg>
      <p className={styles.times}>
        <bdi>{row.duration}</bdi>
        <Unseen>
          {visit.startsAfter} {row.start}
        </Unseen>
      </p>
    </li>
  );
}
