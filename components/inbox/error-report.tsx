import Link from "next/link";
import { useState } from "react";
import type { InboxProps } from "@/lib/inbox/page-answers";
import type { Breadcrumb } from "@/lib/inbox/views/event-detail";
import { formatCount, formatTimeOfDay } from "@/lib/inbox/views/format";
import { errorHref, userHref, visitHref } from "@/lib/inbox/views/hrefs";
import { errorMarkdown } from "@/lib/inbox/views/markdown";
import type { ErrorView } from "@/lib/inbox/views/page-data";
import { inboxMessages } from "@/lib/messages/inbox";
import { DecisionForm, RemovalForm, StatusLabels } from "./decisions";
import { FeedbackList } from "./feedback-list";
import { DayBars } from "./figures";
import styles from "./inbox.module.css";
import { InboxPage, Section } from "./inbox-page";
import { Stack } from "./stack";
import { useFresh } from "./use-fresh";
import {
  Code,
  Count,
  Facts,
  FullTime,
  headlineOf,
  originsText,
  quietButton,
  Time,
  TimeAgo,
  useUrl,
} from "./values";

const { report, errors, decide, remove } = inboxMessages;

/** The page of one error: facts, stack, breadcrumbs, tags, contexts and latest occurrences. */
export function ErrorReport(given: InboxProps<ErrorView>) {
  const fresh = useFresh(given);
  const { view } = fresh;
  const { group, detail } = view;
  const headline = headlineOf(group);
  return (
    <InboxPage
      title={[headline, view.message.slice(0, 80)].filter(Boolean).join(": ")}
      fresh={fresh}
      bar={<Link href="/reports">{report.allErrors}</Link>}
      header={
        <>
          <h1 tabIndex={-1}>
            <bdi dir={group.kind === "error" ? "ltr" : "auto"}>{headline}</bdi>
          </h1>
          <p className={styles.message}>
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
          {i > 0 && <p className={styles.message}>{message}</p>}
          <Stack frames={frames} />
        </Section>
      ))}
      <Section heading={report.breadcrumbs} shown={detail.breadcrumbs.length > 0}>
        <Breadcrumbs rows={detail.breadcrumbs} />
      </Section>
      <Section heading={report.tags} shown={detail.tags.length > 0}>
        <Facts className={styles.facts} rows={detail.tags} />
      </Section>
      <Section heading={report.contexts} shown={detail.contexts.length > 0}>
        {detail.contexts.map(({ name, entries }) => (
          <div key={name}>
            <h3>
              <bdi>{name}</bdi>
            </h3>
            <Facts className={styles.facts} rows={entries} />
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
        key={fresh.renderedAt}
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
    <Link href={userHref(event.userId)} className={styles.link}>
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
        <Link href={visitHref(event.traceId)} className={styles.link}>
          {report.visit}
        </Link>
      )}
    </>
  );
  return (
    <Facts
      label={report.facts}
      className={`${styles.panel} ${styles.facts}`}
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
    <ol className={styles.list}>
      {rows.map(({ at, category, level, message, data }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: breadcrumbs have no id
        <li key={i} className={styles.line}>
          {at === undefined ? <span>–</span> : <Time at={at}>{formatTimeOfDay(at)}</Time>}
          <b dir="ltr">
            {category}
            {level !== undefined && level !== "info" && ` (${level})`}
          </b>
          <p dir="ltr" className={styles.code}>
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
    <ol className={styles.list}>
      {occurrences.map((row) => (
        <li key={row.eventId} className={styles.line}>
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
  const download = useUrl(errorHref(view.group.id, view.event.eventId, { format: "json" }));
  const [said, setSaid] = useState<string>();
  const markdown = errorMarkdown(view);

  async function copy() {
    try {
      await navigator.clipboard.writeText(markdown);
      setSaid(report.copied);
    } catch {
      // There is no clipboard over plain HTTP from another host, or the browser forbids it.
      setSaid(report.copyFailed);
    }
  }

  return (
    <section className={styles.take}>
      <h2>{report.exports}</h2>
      <div className={styles.buttons}>
        <button type="button" className={`${quietButton} ${styles.scripted}`} onClick={copy}>
          {report.copy}
        </button>
        {!view.gone && (
          <a href={download} download className={quietButton}>
            {report.download}
          </a>
        )}
        <span role="status">{said}</span>
      </div>
      <details open={said === report.copyFailed}>
        <summary>{report.markdown}</summary>
        <textarea readOnly rows={12} dir="ltr" aria-label={report.markdown} value={markdown} />
      </details>
    </section>
  );
}
