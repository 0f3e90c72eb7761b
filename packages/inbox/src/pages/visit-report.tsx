import { formatDuration } from "../views/format.ts";
import { errorHref, routeHref } from "../views/hrefs.ts";
import type { VisitView } from "../views/page-data.ts";
import { texts } from "../views/texts.ts";
import type { DrawnSpan, TracePicture } from "../views/trace-picture.ts";
import { AxisBar } from "./figures.tsx";
import { InboxPage, Section } from "./inbox-page.tsx";
import {
  Code,
  Count,
  Facts,
  FullTime,
  headlineOf,
  Link,
  originsText,
  Sign,
  TimeAgo,
  Unseen,
} from "./values.tsx";
import { Vitals } from "./vitals.tsx";

const { visit } = texts;
/** Of the axis. */
const parts = 4;

/** The page of one visit: what browser and server did in it, and the errors that occurred. */
export function VisitReport({ view }: { view: VisitView }) {
  const { route, picture, leftParts, errors } = view;
  return (
    <InboxPage
      bar={
        <Link href={routeHref(route)}>
          <Code>{route}</Code>
        </Link>
      }
      header={
        <h1>
          <small>{visit.title}</small> <Sign pattern={route} />
        </h1>
      }
    >
      <Facts
        label={visit.facts}
        className="panel facts"
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
        <ol className="list">
          {errors.map((error) => (
            <li key={error.eventId} className="line">
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
    <ol className="list waterfall">
      <li aria-hidden="true">
        <p />
        <p className="ticks">
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
      <p data-depth={depth}>
        {depth === 0 && <b>{originsText([origin])} </b>}
        <bdi dir="ltr" className="muted">
          {span.op}
        </bdi>{" "}
        <Code>{name ?? visit.unnamed}</Code>
        {failed && <strong className="poor"> {visit.failed}</strong>}
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
