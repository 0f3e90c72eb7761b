import Link from "next/link";
import { useState } from "react";
import { Sign } from "@/components/sign";
import type { InboxProps } from "@/lib/inbox/page-answers";
import type { VisitError, VisitView } from "@/lib/inbox/views/visit-view";
import { inboxMessages } from "@/lib/messages/inbox";
import { headlineOf } from "./headline";
import { RefreshStatus } from "./refresh-status";
import { Facts, FullTime, ReportPage } from "./report-page";
import { useFresh } from "./use-fresh";
import { Code, TimeAgo } from "./values";
import styles from "./visit-report.module.css";
import { Waterfall } from "./waterfall";

/** The page of one visit: what browser and server did in it, and the errors that occurred. */
export function VisitReport(given: InboxProps<VisitView>) {
  const [paused, setPaused] = useState(false);
  const { props, freshness } = useFresh(given, paused);
  const { view, renderedAt } = props;
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
          <RefreshStatus freshness={freshness} paused={paused} onPause={setPaused} />
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
      {view.vitals.length > 0 && (
        <section>
          <h2>{visit.vitals}</h2>
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
        </section>
      )}
      {view.leftParts !== undefined && (
        <p className={styles.left}>
          {visit.leftParts}: {view.leftParts}
        </p>
      )}
      {view.errors.length > 0 && (
        <section>
          <h2>{visit.errors}</h2>
          <Errors rows={view.errors} />
        </section>
      )}
      {view.spans.length > 0 && (
        <section>
          <h2>{visit.spans}</h2>
          <Waterfall rows={view.spans} ticks={view.ticks} />
          {view.left !== undefined && (
            <p className={styles.left}>
              {visit.left}: {view.left}
            </p>
          )}
        </section>
      )}
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
