import Link from "next/link";
import { Sign } from "@/components/sign";
import type { InboxProps } from "@/lib/inbox/page-answers";
import { formatDuration } from "@/lib/inbox/views/format";
import { errorHref, routeHref } from "@/lib/inbox/views/hrefs";
import type { VisitView } from "@/lib/inbox/views/page-data";
import type { DrawnSpan, TracePicture } from "@/lib/inbox/views/trace-picture";
import { inboxMessages } from "@/lib/messages/inbox";
import { AxisBar } from "./figures";
import figures from "./figures.module.css";
import styles from "./inbox.module.css";
import { InboxPage, Section } from "./inbox-page";
import { useFresh } from "./use-fresh";
import { Code, Count, Facts, FullTime, headlineOf, originsText, TimeAgo, Unseen } from "./values";
import { Vitals } from "./vitals";

const { visit } = inboxMessages;
/** Of the axis. */
const parts = 4;

/** The page of one visit: what browser and server did in it, and the errors that occurred. */
export function VisitReport(given: InboxProps<VisitView>) {
  const fresh = useFresh(given);
  const { view } = fresh;
  const { route, picture, leftParts, errors } = view;
  return (
    <InboxPage
      title={`${visit.title}: ${route}`}
      fresh={fresh}
      bar={
        <Link href={routeHref(route)}>
          <Code>{route}</Code>
        </Link>
      }
      header={
        <h1 tabIndex={-1}>
          <small>{visit.title}</small> <Sign pattern={route} />
        </h1>
      }
    >
      <Facts
        label={visit.facts}
        className={`${styles.panel} ${styles.facts}`}
        rows={[
          [visit.began, <FullTime key="began" at={view.at} />],
          [visit.duration, formatDuration(view.duration)],
          [visit.origins, originsText(view.origins)],
          [visit.release, picture?.release && <Code>{picture.release}</Code>],
          [visit.environment, picture?.environment && <Code>{picture.environment}</Code>],
          [visit.traceId, <Code key="traceId">{view.traceId}</Code>],
        ]}
      />
      {!picture && <p>{visit.gone}</p>}
      {picture && picture.vitals.length > 0 && (
        <Section heading={visit.vitals}>
          <Vitals values={picture.vitals} />
        </Section>
      )}
      <Count name={visit.leftParts} of={leftParts} />
      <Section heading={visit.errors} shown={errors.length > 0}>
        <ol className={styles.list}>
          {errors.map((error) => (
            <li key={error.eventId} className={styles.line}>
              <Link href={errorHref(error.group, error.eventId)}>
                <bdi>
                  <b>{headlineOf(error)}</b> {error.message}
                </bdi>
              </Link>
              <TimeAgo at={error.at} />
            </li>
          ))}
        </ol>
      </Section>
      {picture && (
        <Section heading={visit.spans}>
          <Waterfall {...picture} />
          <Count name={visit.left} of={picture.left} />
        </Section>
      )}
    </InboxPage>
  );
}

/** What happened in a visit, each on a line of its own along one axis of time. */
function Waterfall({ spans, axis }: TracePicture) {
  return (
    <ol className={`${styles.list} ${figures.waterfall}`}>
      <li aria-hidden="true">
        <p />
        <p className={figures.ticks}>
          {Array.from({ length: parts + 1 }, (_, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a short visit may have a tick twice
            <span key={i}>{formatDuration((axis * i) / parts)}</span>
          ))}
        </p>
        <p />
      </li>
      {spans.map((span, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: spans of other senders may have no id
        <Row key={i} span={span} axis={axis} />
      ))}
    </ol>
  );
}

function Row({ span, axis }: { span: DrawnSpan; axis: number }) {
  const { name, depth, start, duration, failed, origin } = span;
  // Nothing has a length along an axis that has none.
  const along = (ms: number) => (axis > 0 ? ms / axis : 0);
  return (
    <li>
      <p style={{ paddingInlineStart: `${depth * 0.75}rem` }}>
        {depth === 0 && <b>{originsText([origin])} </b>}
        <bdi dir="ltr" className={styles.muted}>
          {span.op}
        </bdi>{" "}
        <Code>{name ?? visit.unnamed}</Code>
        {failed && <strong className={figures.poor}> {visit.failed}</strong>}
      </p>
      <AxisBar
        parts={parts}
        bar={{ from: along(start), to: along(start + duration), colour: failed ? "poor" : origin }}
      />
      <p>
        {formatDuration(duration)}
        <Unseen>
          {" "}
          {visit.startsAfter} {formatDuration(start)}
        </Unseen>
      </p>
    </li>
  );
}
