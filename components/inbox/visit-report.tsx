import Link from "next/link";
import { Sign } from "@/components/sign";
import type { InboxProps } from "@/lib/inbox/page-answers";
import type { VisitError, VisitView } from "@/lib/inbox/views/visit-view";
import { inboxMessages } from "@/lib/messages/inbox";
import { RefreshStatus } from "./refresh-status";
import { Facts, FullTime, ReportPage, Section } from "./report-page";
import { useFresh } from "./use-fresh";
import { Code, headlineOf, TimeAgo } from "./values";
import styles from "./visit-report.module.css";
import { Waterfall } from "./waterfall";

/** The page of one visit: what browser and server did in it, and the errors that occurred. */
export function VisitReport(given: InboxProps<VisitView>) {
  const { view, renderedAt, refreshing } = useFresh(given);
  const { visit, performance } = inboxMessages;
  const route = view.route ?? performance.unknownRoute;
  return (
    <ReportPage
      title={`${visit.title}: ${route}`}
      bar={
        <>
          <Link href={view.back}>
            {view.route === undefined ? performance.unknownRoute : <Code>{route}</Code>}
          </Link>
          <RefreshStatus {...refreshing} />
        </>
      }
      header={
        <h1 tabIndex={-1}>
          <span className={styles.title}>{visit.title}</span> <Sign pattern={route} />
        </h1>
      }
      renderedAt={renderedAt}
    >
      <VisitFacts view={view} />
      {view.gone && <p>{visit.gone}</p>}
      <Section heading={visit.vitals} shown={view.vitals.length > 0}>
        <dl className={styles.vitals}>
          {view.vitals.map(({ vital, value, rating }) => (
            <div key={vital}>
              <dt>
                <abbr title={performance.vitals[vital]}>{vital.toUpperCase()}</abbr>
              </dt>
              <dd>
                <bdi>{value}</bdi> <span data-rating={rating}>{performance.ratings[rating]}</span>
              </dd>
            </div>
          ))}
        </dl>
      </Section>
      {view.leftParts !== undefined && (
        <p className={styles.left}>
          {visit.leftParts}: {view.leftParts}
        </p>
      )}
      <Section heading={visit.errors} shown={view.errors.length > 0}>
        <Errors rows={view.errors} />
      </Section>
      <Section heading={visit.spans} shown={view.spans.length > 0}>
        <Waterfall rows={view.spans} ticks={view.ticks} />
        {view.left !== undefined && (
          <p className={styles.left}>
            {visit.left}: {view.left}
          </p>
        )}
      </Section>
    </ReportPage>
  );
}

function VisitFacts({ view: { facts, traceId } }: { view: VisitView }) {
  const { visit, origins } = inboxMessages;
  return (
    <Facts
      label={visit.facts}
      rows={[
        [visit.began, <FullTime key="began" time={facts.began} />],
        [visit.duration, <bdi key="duration">{facts.duration}</bdi>],
        [visit.origins, facts.origins.map((origin) => origins[origin]).join(" + ")],
        [visit.release, facts.release && <Code>{facts.release}</Code>],
        [visit.environment, facts.environment && <Code>{facts.environment}</Code>],
        [visit.traceId, <Code key="traceId">{traceId}</Code>],
      ]}
    />
  );
}

function Errors({ rows }: { rows: VisitError[] }) {
  return (
    <ol className={styles.errors}>
      {rows.map(({ eventId, href, kind, type, message, at }) => (
        <li key={eventId}>
          <Link href={href}>
            <bdi>
              <b>{headlineOf({ kind, type })}</b> {message}
            </bdi>
          </Link>
          <TimeAgo>{at}</TimeAgo>
        </li>
      ))}
    </ol>
  );
}
