import type { ReactNode } from "react";
import type { FormattedTime } from "@/lib/inbox/views/formatter";
import { InboxPage } from "./inbox-page";
import styles from "./report-page.module.css";
import { TimeAgo } from "./values";

interface ReportPageProps {
  title: string;
  /** The way back, and what is known of the refreshing. */
  bar: ReactNode;
  header: ReactNode;
  children: ReactNode;
  renderedAt: string;
}

/** The frame of a page about one error or one visit. */
export function ReportPage({ title, bar, header, children, renderedAt }: ReportPageProps) {
  return (
    <InboxPage title={title} className={styles.page} renderedAt={renderedAt}>
      <header>
        <div className={styles.bar}>{bar}</div>
        {header}
      </header>
      {children}
    </InboxPage>
  );
}

/** A list of facts. One without a value is left out. */
export function Facts(props: { label: string; rows: [name: string, value: ReactNode][] }) {
  return (
    <dl className={styles.facts} aria-label={props.label}>
      {props.rows.map(
        ([name, value]) =>
          value && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

export function FullTime({ time }: { time: FormattedTime }) {
  return (
    <>
      <TimeAgo>{time}</TimeAgo> <span className={styles.full}>{time.full}</span>
    </>
  );
}
