import Link from "next/link";
import { useRouter } from "next/router";
import type { ReactNode } from "react";
import type { InboxProps } from "@/lib/inbox/page-answers";
import type { ErrorFacts, ErrorReportView, Occurrence } from "@/lib/inbox/views/error-report-view";
import { inboxMessages } from "@/lib/messages/inbox";
import { toLocale } from "@/lib/messages/locales";
import { urlOf } from "@/lib/routes/location";
import { Breadcrumbs } from "./breadcrumbs";
import { DayCounts } from "./day-counts";
import { DecisionButtons, StatusLabels } from "./decisions";
import styles from "./error-report.module.css";
import { FeedbackList } from "./feedback-list";
import { RefreshStatus } from "./refresh-status";
import { Facts, FullTime, ReportPage, Section } from "./report-page";
import { Stack } from "./stack";
import { TakeAway } from "./take-away";
import { useFresh } from "./use-fresh";
import { Code, headlineOf, Pairs, TimeAgo, Url } from "./values";

/** The page of one error: facts, stack, breadcrumbs, tags, contexts and latest occurrences. */
export function ErrorReport(given: InboxProps<ErrorReportView>) {
  const { view, renderedAt, refreshing } = useFresh(given);
  const { report } = inboxMessages;
  const headline = headlineOf({ kind: view.eventKind, type: view.type });
  return (
    <ReportPage
      title={[headline, view.message.slice(0, 80)].filter(Boolean).join(": ")}
      bar={
        <>
          <Link href="/reports">{report.allErrors}</Link>
          <RefreshStatus {...refreshing} />
        </>
      }
      header={
        <>
          <h1 tabIndex={-1}>
            <bdi dir={view.eventKind === "error" ? "ltr" : "auto"}>{headline}</bdi>
          </h1>
          <p className={styles.message}>
            <bdi>{view.message}</bdi>
          </p>
          <Decision view={view} renderedAt={renderedAt} />
        </>
      }
      renderedAt={renderedAt}
    >
      <ErrorFactList view={view} />
      {view.gone && <p>{report.gone}</p>}
      <Section heading={report.feedback} shown={view.feedback.length > 0}>
        <FeedbackList rows={view.feedback} />
        {view.leftMessages !== undefined && (
          <p>
            {report.leftMessages}: {view.leftMessages}
          </p>
        )}
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
      <Section heading={report.days} shown>
        <DayCounts days={view.days} />
      </Section>
      <Section heading={report.occurrences} shown>
        <Occurrences rows={view.occurrences} />
      </Section>
      <TakeAway view={view} />
    </ReportPage>
  );
}

/** What was decided about the error, and a form to decide something else. */
function Decision({ view, renderedAt }: { view: ErrorReportView; renderedAt: string }) {
  const { asPath, locale } = useRouter();
  const { decide } = inboxMessages;
  return (
    <form
      method="post"
      action={urlOf({ path: asPath, locale: toLocale(locale) })}
      aria-label={decide.this}
      className={styles.decision}
    >
      <StatusLabels status={view.status} isNew={view.isNew} />
      <input type="hidden" name="group" value={view.id} />
      <DecisionButtons status={view.status} renderedAt={renderedAt} />
    </form>
  );
}

function ErrorFactList({ view: { facts, visit } }: { view: ErrorReportView }) {
  const { report, origins } = inboxMessages;
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
    ["server", <Code key="server">{facts.server}</Code>],
    ["reference", <Code key="reference">{facts.reference}</Code>],
    ["traceId", <Trace key="traceId" id={facts.traceId} visit={visit} />],
  ];
  return (
    <Facts
      label={report.facts}
      rows={rows
        .filter(([name]) => facts[name] !== undefined)
        .map(([name, value]) => [report[name], value])}
    />
  );
}

function Trace({ id, visit }: { id: string | undefined; visit: string | undefined }) {
  const { report } = inboxMessages;
  return (
    <>
      <Code>{id}</Code>
      {visit !== undefined && (
        <Link href={visit} className={styles.visit}>
          {report.visit}
        </Link>
      )}
    </>
  );
}

function Exception(props: { exception: ErrorReportView["exceptions"][number]; isCause: boolean }) {
  const { report } = inboxMessages;
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
  const { origins } = inboxMessages;
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
