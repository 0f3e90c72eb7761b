import type { Breadcrumb } from "../views/event-detail.ts";
import { formatCount, formatTimeOfDay } from "../views/format.ts";
import { errorHref, listHref, userHref, visitHref } from "../views/hrefs.ts";
import { errorMarkdown } from "../views/markdown.ts";
import type { ErrorView } from "../views/page-data.ts";
import { texts } from "../views/texts.ts";
import { DecisionForm, RemovalForm, StatusLabels } from "./decisions.tsx";
import { FeedbackList } from "./feedback-list.tsx";
import { DayBars } from "./figures.tsx";
import { InboxPage, Section } from "./inbox-page.tsx";
import { Stack } from "./stack.tsx";
import {
  Code,
  Count,
  Facts,
  FullTime,
  headlineOf,
  Link,
  originsText,
  Time,
  TimeAgo,
} from "./values.tsx";

const { report, errors, decide, remove } = texts;

/** The page of one error: facts, stack, breadcrumbs, tags, contexts and latest occurrences. */
export function ErrorReport({ view }: { view: ErrorView }) {
  const { group, detail } = view;
  return (
    <InboxPage
      bar={<Link href={listHref("errors")}>{report.allErrors}</Link>}
      header={
        <>
          <h1>
            <bdi dir={group.kind === "error" ? "ltr" : "auto"}>{headlineOf(group)}</bdi>
          </h1>
          <p className="message">
            <bdi>{view.message}</bdi>
          </p>
          <DecisionForm
            label={decide.this}
            status={group.status}
            lead={<StatusLabels status={group.status} isNew={group.isNew} />}
          >
            <input type="hidden" name="group" value={group.id} />
          </DecisionForm>
        </>
      }
    >
      <ErrorFacts view={view} />
      {view.gone && <p>{report.gone}</p>}
      <Section heading={report.feedback} shown={view.feedback.length > 0}>
        <FeedbackList rows={view.feedback} />
        <Count name={report.leftMessages} of={view.leftMessages} />
      </Section>
      {detail.exceptions.map(({ type, message, frames }, i) => (
        <Section
          // biome-ignore lint/suspicious/noArrayIndexKey: exceptions have no id
          key={i}
          heading={i === 0 ? report.stack : `${report.causedBy}: ${type}`}
        >
          {i > 0 && <p className="message">{message}</p>}
          <Stack frames={frames} />
        </Section>
      ))}
      <Section heading={report.breadcrumbs} shown={detail.breadcrumbs.length > 0}>
        <Breadcrumbs rows={detail.breadcrumbs} />
      </Section>
      <Section heading={report.tags} shown={detail.tags.length > 0}>
        <Facts className="facts" rows={detail.tags} />
      </Section>
      <Section heading={report.contexts} shown={detail.contexts.length > 0}>
        {detail.contexts.map(({ name, entries }) => (
          <div key={name}>
            <h3>
              <bdi>{name}</bdi>
            </h3>
            <Facts className="facts" rows={entries} />
          </div>
        ))}
      </Section>
      <Section
        heading={
          view.user === undefined ? report.occurrences : `${report.occurrencesOf} ${view.user}`
        }
      >
        <Occurrences view={view} />
      </Section>
      <TakeAway view={view} />
      <RemovalForm
        ask={remove.ask}
        help={remove.help}
        names={[
          {
            kind: "event",
            id: view.event.eventId,
            text: `${remove.event} ${view.event.eventId.slice(0, 8)}`,
          },
          { kind: "group", id: group.id, text: remove.group },
        ]}
      />
    </InboxPage>
  );
}

function ErrorFacts({ view }: { view: ErrorView }) {
  const { group, event, detail } = view;
  const { handled } = detail;
  const code = (value: string | null | undefined) => value && <Code>{value}</Code>;
  const user = event.userId && (
    <Link href={userHref(event.userId)} className="link">
      {event.userId}
    </Link>
  );
  const days = (
    <>
      <DayBars counts={group.days} label={errors.days} />
      {group.days.map(formatCount).join(" · ")}
    </>
  );
  const trace = event.traceId && (
    <>
      <Code>{event.traceId}</Code>{" "}
      {view.isMeasured && (
        <Link href={visitHref(event.traceId)} className="link">
          {report.visit}
        </Link>
      )}
    </>
  );
  return (
    <Facts
      label={report.facts}
      className="panel facts"
      rows={[
        [report.count, formatCount(group.count)],
        [report.first, <FullTime key="first" at={group.firstAt} />],
        [report.last, <FullTime key="last" at={group.lastAt} />],
        [errors.days, days],
        [report.origins, originsText(group.origins)],
        [report.routes, code(view.routes)],
        [report.releases, code(view.releases)],
        [report.environment, code(event.environment)],
        [report.level, code(detail.level)],
        [report.handled, handled ? report.handledByApp : handled === false && report.notHandled],
        [report.request, code(detail.request)],
        [report.server, code(view.server)],
        [report.reference, code(event.eventId)],
        [report.traceId, trace],
        [report.user, user],
      ]}
    />
  );
}

/** What happened before the error, oldest first. */
function Breadcrumbs({ rows }: { rows: Breadcrumb[] }) {
  return (
    <ol className="list">
      {rows.map(({ at, category, level, message, data }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: breadcrumbs have no id
        <li key={i} className="line">
          {at === undefined ? <span>–</span> : <Time at={at}>{formatTimeOfDay(at)}</Time>}
          <b dir="ltr">
            {category}
            {level !== undefined && level !== "info" && ` (${level})`}
          </b>
          <p dir="ltr" className="code">
            {message} <span>{data.map(([name, value]) => `${name}=${value}`).join("  ")}</span>
          </p>
        </li>
      ))}
    </ol>
  );
}

/** The latest events of the error, each a link to its own report. */
function Occurrences({ view: { group, event, occurrences, user } }: { view: ErrorView }) {
  return (
    <ol className="list">
      {occurrences.map((row) => (
        <li key={row.eventId} data-key={row.eventId} className="line">
          <Link
            href={errorHref(group.id, row.eventId, { user })}
            aria-current={row.eventId === event.eventId ? "page" : undefined}
          >
            <TimeAgo at={row.at} />
          </Link>
          <Code>{row.route}</Code>
          <span>{originsText([row.origin])}</span>
          <Code>{row.release}</Code>
          <Code>{row.eventId}</Code>
        </li>
      ))}
    </ol>
  );
}

/** An error as text for an issue, and as a file. Without JavaScript, the text is there to be copied. */
function TakeAway({ view }: { view: ErrorView }) {
  return (
    <section className="take" data-key="take">
      <h2>{report.exports}</h2>
      <div className="buttons">
        <button type="button" className="button scripted" data-copy>
          {report.copy}
        </button>
        {!view.gone && (
          <Link
            href={errorHref(view.group.id, view.event.eventId, { format: "json" })}
            download
            className="button"
          >
            {report.download}
          </Link>
        )}
        <span
          role="status"
          data-steady="always"
          data-copied={report.copied}
          data-failed={report.copyFailed}
        />
      </div>
      <details>
        <summary>{report.markdown}</summary>
        <textarea
          readOnly
          rows={12}
          dir="ltr"
          aria-label={report.markdown}
          defaultValue={errorMarkdown(view)}
        />
      </details>
    </section>
  );
}
