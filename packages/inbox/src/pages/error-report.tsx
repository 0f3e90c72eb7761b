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

const { report } = texts;

/** The page of one error: stack, facts, breadcrumbs, tags, contexts and latest occurrences. */
export function ErrorReport({ view }: { view: ErrorView }) {
  const { group, detail } = view;
  return (
    <InboxPage
      bar={<Link href={listHref("errors")}>All errors</Link>}
      header={
        <>
          <h1>
            <bdi dir={group.kind === "error" ? "ltr" : "auto"}>{headlineOf(group)}</bdi>
          </h1>
          <p className="message" dir="auto">
            {view.message}
          </p>
          <DecisionForm
            label="This error"
            status={group.status}
            lead={<StatusLabels status={group.status} isNew={group.isNew} />}
          >
            <input type="hidden" name="group" value={group.id} />
          </DecisionForm>
        </>
      }
    >
      <div className="report">
        <div>
          {view.gone && <p>The report is no longer kept. Only this summary is left.</p>}
          <Section heading="Feedback" shown={view.feedback.length > 0}>
            <FeedbackList rows={view.feedback} />
            <Count name="Older messages not shown" of={view.leftMessages} />
          </Section>
          {detail.exceptions.map(({ type, message, frames }, i) => (
            <Section
              // biome-ignore lint/suspicious/noArrayIndexKey: exceptions have no id
              key={i}
              heading={i === 0 ? report.stack : `${report.causedBy}: ${type}`}
            >
              {i > 0 && (
                <p className="message" dir="auto">
                  {message}
                </p>
              )}
              <Stack frames={frames} />
            </Section>
          ))}
        </div>
        <ErrorFacts view={view} />
        <div>
          <Section heading="Breadcrumbs" shown={detail.breadcrumbs.length > 0}>
            <Breadcrumbs rows={detail.breadcrumbs} />
          </Section>
          <Section heading="Tags" shown={detail.tags.length > 0}>
            <Facts className="facts" rows={detail.tags} />
          </Section>
          <Section heading="Contexts" shown={detail.contexts.length > 0}>
            <div className="contexts">
              {detail.contexts.map(({ name, entries }) => (
                <div key={name}>
                  <h3>
                    <bdi>{name}</bdi>
                  </h3>
                  <Facts className="facts" rows={entries} />
                </div>
              ))}
            </div>
          </Section>
          <Section
            heading={
              view.user === undefined
                ? "Latest occurrences"
                : `Latest occurrences of the user ${view.user}`
            }
          >
            <Occurrences view={view} />
          </Section>
          <TakeAway view={view} />
          <RemovalForm
            ask="Remove…"
            help="Removed for good: errors, the messages about them, and the whole reports of both."
            names={[
              {
                kind: "event",
                id: view.event.eventId,
                text: `Remove this event ${view.event.eventId.slice(0, 8)}`,
              },
              { kind: "group", id: group.id, text: "Remove all events of this error" },
            ]}
          />
        </div>
      </div>
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
      <DayBars counts={group.days} label={texts.days} />
      {group.days.map(formatCount).join(" · ")}
    </>
  );
  const trace = event.traceId && (
    <>
      <Code>{event.traceId}</Code>{" "}
      {view.isMeasured && (
        <Link href={visitHref(event.traceId)} className="link">
          Show the visit
        </Link>
      )}
    </>
  );
  return (
    <Facts
      label="Facts"
      className="panel facts"
      rows={[
        [report.count, formatCount(group.count)],
        [report.first, <FullTime key="first" at={group.firstAt} />],
        [report.last, <FullTime key="last" at={group.lastAt} />],
        [texts.days, days],
        [report.origins, originsText(group.origins)],
        [report.routes, code(view.routes)],
        [report.releases, code(view.releases)],
        [report.environment, code(event.environment)],
        ["Level", code(detail.level)],
        ["Handled", handled ? "yes, by the app" : handled === false && "no"],
        [report.request, code(detail.request)],
        ["Server", code(view.server)],
        [report.reference, code(event.eventId)],
        [report.traceId, trace],
        ["User", user],
      ]}
    />
  );
}

/** Levels of breadcrumbs that stand out. */
const levelColours = new Map([
  ["fatal", "poor"],
  ["error", "poor"],
  ["warning", "needs-improvement"],
]);

/** What happened before the error, oldest first. */
function Breadcrumbs({ rows }: { rows: Breadcrumb[] }) {
  return (
    <ol className="list columns breadcrumbs">
      {rows.map(({ at, category, level, message, data }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: breadcrumbs have no id
        <li key={i} className="line">
          {at === undefined ? <span>–</span> : <Time at={at}>{formatTimeOfDay(at)}</Time>}
          <b dir="ltr">
            {category}
            {level !== undefined && level !== "info" && (
              <span className={levelColours.get(level)}>{` (${level})`}</span>
            )}
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
    <ol className="list columns occurrences">
      {occurrences.map((row) => (
        <li key={row.eventId} data-key={row.eventId} className="line">
          <Link
            href={errorHref(group.id, row.eventId, { user })}
            aria-current={row.eventId === event.eventId ? "page" : undefined}
          >
            <TimeAgo at={row.at} />
          </Link>
          <span>
            <Code>{row.route}</Code>
          </span>
          <span>{originsText([row.origin])}</span>
          <span>
            <Code>{row.release}</Code>
          </span>
          <Code>{row.eventId}</Code>
        </li>
      ))}
    </ol>
  );
}

/** An error as text for an issue, and as a file. Without JavaScript, the text is there to be copied. */
function TakeAway({ view }: { view: ErrorView }) {
  const markdown = "Text for an issue (Markdown)";
  return (
    <section className="take" data-key="take">
      <h2>Take it with you</h2>
      <div className="buttons">
        <button type="button" className="button scripted" data-copy>
          Copy as Markdown
        </button>
        {!view.gone && (
          <Link
            href={errorHref(view.group.id, view.event.eventId, { format: "json" })}
            download
            className="button"
          >
            Download as JSON
          </Link>
        )}
        <span
          role="status"
          data-steady="always"
          data-copied="Copied"
          data-failed="The browser does not allow it. Copy the text below."
        />
      </div>
      <details>
        <summary>{markdown}</summary>
        <textarea
          readOnly
          rows={12}
          dir="ltr"
          aria-label={markdown}
          defaultValue={errorMarkdown(view)}
        />
      </details>
    </section>
  );
}
