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
  Link,
  originsText,
  Sign,
  Subject,
  TimeAgo,
  Unseen,
} from "./values.tsx";
import { Vitals } from "./vitals.tsx";

/** Into how many parts the axis of time is divided. */
const axisParts = 4;

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
          <small>{texts.visit}</small> <Sign pattern={route} />
        </h1>
      }
    >
      <Facts
        label="Facts"
        className="panel facts"
        rows={[
          ["Began", <FullTime key="began" at={view.at} />],
          ["Duration", formatDuration(view.duration)],
          ["Measured in", originsText(view.origins)],
          ["Release", picture?.release && <Code>{picture.release}</Code>],
          ["Environment", picture?.environment && <Code>{picture.environment}</Code>],
          ["Trace", <Code key="traceId">{view.traceId}</Code>],
        ]}
      />
      {!picture && <p>The reports of this visit are no longer kept. Only this summary is left.</p>}
      {picture && picture.vitals.length > 0 && (
        <Section heading="Web vitals">
          <Vitals values={picture.vitals} />
        </Section>
      )}
      <Count name="Parts not shown: page loads, navigations, requests" of={leftParts} />
      <Section heading="Errors of this visit" shown={errors.length > 0}>
        <ol className="list">
          {errors.map((error) => (
            <li key={error.eventId} className="line">
              <Link href={errorHref(error.group, error.eventId)}>
                <span>
                  <Subject of={error} />
                </span>
              </Link>
              <TimeAgo at={error.at} />
            </li>
          ))}
        </ol>
      </Section>
      {picture && (
        <Section heading="What took how long">
          <Waterfall {...picture} />
          <Count name="Spans not shown" of={picture.left} />
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
          {Array.from({ length: axisParts + 1 }, (_, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a short visit may have a tick twice
            <span key={i}>{formatDuration((axis * i) / axisParts)}</span>
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
        <Code>{name ?? "without a name"}</Code>
        {failed && <strong className="poor"> failed</strong>}
      </p>
      <AxisBar
        parts={axisParts}
        bar={{ from: along(start), to: along(start + duration), colour: failed ? "poor" : origin }}
      />
      <p>
        {formatDuration(duration)}
        <Unseen> begins after {formatDuration(start)}</Unseen>
      </p>
    </li>
  );
}
