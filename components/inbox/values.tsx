import type { ReactNode } from "react";
import type { Pair } from "@/lib/inbox/event-detail";
import type { FormattedTime } from "@/lib/inbox/formatter";
import styles from "./values.module.css";

/** How long ago something was, with date and time as its tooltip. */
export function TimeAgo({ children: { iso, full, ago } }: { children: FormattedTime }) {
  return (
    <time dateTime={iso} title={full}>
      {ago}
    </time>
  );
}

/** A route, a release or an id: left to right in every language. */
export function Code({ children }: { children: ReactNode }) {
  return (
    <bdi dir="ltr" className={styles.code}>
      {children}
    </bdi>
  );
}

/** Names and values of a report. */
export function Pairs({ pairs }: { pairs: Pair[] }) {
  return (
    <dl className={styles.pairs}>
      {pairs.map(([name, value]) => (
        <div key={name}>
          <dt>
            <bdi>{name}</bdi>
          </dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}
