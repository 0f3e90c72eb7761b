import type { ReactNode } from "react";
import { PageHead } from "@/components/page-head";
import { RouteFacts } from "@/components/route-facts";
import type { FormattedTime } from "@/lib/inbox/views/formatter";
import styles from "./report-page.module.css";
import { TimeAgo } from "./values";

interface InboxPageProps {
  title: string;
  className: string | undefined;
  children: ReactNode;
  renderedAt: string;
}

/** The frame of each page of the inbox: English within a page of any language. */
export function InboxPage({ title, className, children, renderedAt }: InboxPageProps) {
  return (
    <div className={styles.frame}>
      <PageHead title={title} />
      <article lang="en" dir="ltr" className={className}>
        {children}
      </article>
      <RouteFacts renderedAt={renderedAt} />
    </div>
  );
}

interface ReportPageProps extends Omit<InboxPageProps, "className"> {
  /** The way back, and what is known of the refreshing. */
  bar: ReactNode;
  header: ReactNode;
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

/** A part of such a page. */
export function Section(props: { heading: ReactNode; shown: boolean; children: ReactNode }) {
  if (!props.shown) return null;
  return (
    <section>
      <h2>{props.heading}</h2>
      {props.children}
    </section>
  );
}
