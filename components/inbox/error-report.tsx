import Link from "next/link";
import { type ReactNode, useState } from "react";
import { PageHead } from "@/components/page-head";
import { RouteFacts } from "@/components/route-facts";
import type { ErrorFacts, ErrorReportView, Occurrence } from "@/lib/inbox/error-report-view";
import type { FormattedTime } from "@/lib/inbox/formatter";
import type { InboxProps } from "@/lib/inbox/page-answers";
import { Breadcrumbs } from "./breadcrumbs";
import styles from "./error-report.module.css";
import { FeedbackList } from "./feedback-list";
import { RefreshStatus } from "./refresh-status";
import { Stack } from "./stack";
import { useFresh } from "./use-fresh";
import { useInboxMessages } from "./use-inbox-messages";
import { Code, Pairs, TimeAgo, Url } from "./values";

/** The page of one error: facts, stack, breadcrumbs, tags, contexts and latest occurrences. */
export function ErrorReport(given: InboxProps<ErrorReportView>) {
  const [paused, setPaused] = useState(false);
  const { props, freshness } = useFresh(given, paused);
  const { view, renderedAt } = props;
  const { report } = useInboxMessages();
  return (
    <article className={styles.report}>
      <PageHead title={[view.type, view.message.slice(0, 80)].filter(Boolean).join(": ")} />
      <header>
        <div className={styles.bar}>
          <Link href="/reports">{report.allErrors}</Link>
          <RefreshStatus freshness={freshness} paused={paused} onPause={setPaused} />
        </div>
        <h1 tabIndex={-1}>
          <bdi dir="ltr">{view.type}</bdi>
        </h1>
        <p className={styles.message}>
          <bdi>{view.message}</bdi>
        </p>
      </header>
      <Facts facts={view.facts} />
      {view.gone && <p>{report.gone}</p>}
      <Section heading={report.feedback} shown={view.feedback.length > 0}>
        <FeedbackList rows={view.feedback} />
      </Section>
      {view.exceptions.map((exception, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: exceptions have no id
        <Exception key={i} exception={exception} isCause={i > 0} />
      ))}
      <Section heading={report.breadcrumbs} shown={view.breadcrumbs.length > 0}>
        <Breadcrumbs rows={view.breadcrumbs} />
      </Section>
      <Section heading={report.tags} shown={view.tags.length > 0}>
        <Pairs pairs={view.tags} />
      </Section>
      <Section heading={report.contexts} shown={view.contexts.length > 0}>
        {view.contexts.map(({ name, entries }) => (
          <div key={name} className={styles.context}>
            <h3>
              <bdi>{name}</bdi>
            </h3>
            <Pairs pairs={entries} />
          </div>
        ))}
      </Section>
      <Section heading={report.occurrences} shown>
        <Occurrences rows={view.occurrences} />
      </Section>
      <RouteFacts renderedAt={renderedAt} />
    </article>
  );
}

function Section(props: { heading: ReactNode; shown: boolean; children: ReactNode }) {
  if (!props.shown) return null;
  return (
    <section>
      <h2>{props.heading}</h2>
      {props.children}
    </section>
  );
}

function Facts({ facts }: { facts: ErrorFacts }) {
  const { report, origins } = useInboxMessages();
  const rows: [name: keyof ErrorFacts, value: ReactNode][] = [
    ["count", facts.count],
    ["first", <FullTime key="first" time={facts.first} />],
    ["last", <FullTime key="last" time={facts.last} />],
    ["origins", facts.origins.map((origin) => origins[origin]).join(" + ")],
    ["routes", <Code key="routes">{facts.routes}</Code>],
    ["releases", <Code key="releases">{facts.releases}</Code>],
    ["environment", <Code key="environment">{facts.environment}</Code>],
    ["level", <Code key="level">{facts.level}</Code>],
    ["handled", facts.handled ? report.handledByApp : report.notHandled],
    ["request", facts.request && <Url key="request">{facts.request}</Url>],
    ["reference", <Code key="reference">{facts.reference}</Code>],
    ["traceId", <Code key="traceId">{facts.traceId}</Code>],
  ];
  return (
    <dl className={styles.facts} aria-label={report.facts}>
      {rows
        .filter(([name]) => facts[name] !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{report[name]}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function FullTime({ time }: { time: FormattedTime }) {
  return (
    <>
      <TimeAgo>{time}</TimeAgo> <span className={styles.full}>{time.full}</span>
    </>
  );
}

function Exception(props: { exception: ErrorReportView["exceptions"][number]; isCause: boolean }) {
  const { report } = useInboxMessages();
  const { type, message, frames } = props.exception;
  const cause = (
    <>
      {report.causedBy}: <bdi dir="ltr">{type}</bdi> <bdi className={styles.cause}>{message}</bdi>
    </>
  );
  return (
    <Section heading={props.isCause ? cause : report.stack} shown>
      <Stack groups={frames} />
    </Section>
  );
}

/** The latest events of the error, each a link to its own report. */
function Occurrences({ rows }: { rows: Occurrence[] }) {
  const { origins } = useInboxMessages();
  return (
    <ol className={styles.occurrences}>
      {rows.map((row) => (
        <li key={row.eventId}>
          <Link href={row.href} aria-current={row.current ? "page" : undefined}>
            <TimeAgo>{row.at}</TimeAgo>
          </Link>
          {row.route !== undefined && <Code>{row.route}</Code>}
          <span>{origins[row.origin]}</span>
          {row.release !== undefined && <Code>{row.release}</Code>}
          <Code>{row.eventId}</Code>
        </li>
      ))}
    </ol>
  );
}
