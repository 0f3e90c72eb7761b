import Link from "next/link";
import { type ReactNode, useState } from "react";
import { PageHead } from "@/components/page-head";
import { RouteFacts } from "@/components/route-facts";
import { Breadcrumbs } from "./breadcrumbs";
import type { ErrorProps } from "./error-props";
import styles from "./error-report.module.css";
import type { ErrorView } from "./error-view";
import { FeedbackList } from "./feedback-list";
import { Moment } from "./moment";
import { Occurrences } from "./occurrences";
import { Pairs } from "./pairs";
import { RefreshStatus } from "./refresh-status";
import { Stack } from "./stack";
import type { InboxTexts } from "./texts";
import { useFresh } from "./use-fresh";

/** The page of one error: what it is, where it was thrown, and what led to it. */
export function ErrorReport(given: ErrorProps) {
  const [paused, setPaused] = useState(false);
  const { props, freshness } = useFresh(given, paused);
  const { texts, view, renderedAt } = props;
  return (
    <article className={styles.report}>
      <PageHead title={[view.type, view.message.slice(0, 80)].filter(Boolean).join(": ")} />
      <header>
        <div className={styles.bar}>
          <Link href="/reports">{texts.allErrors}</Link>
          <RefreshStatus texts={texts} freshness={freshness} paused={paused} onPause={setPaused} />
        </div>
        <h1 tabIndex={-1}>
          <bdi dir="ltr">{view.type}</bdi>
        </h1>
        <p className={styles.message}>
          <bdi>{view.message}</bdi>
        </p>
      </header>
      <Facts facts={view.facts} label={texts.facts} />
      {view.gone && <p>{texts.gone}</p>}
      <Section heading={texts.feedback} shown={view.feedback.length > 0}>
        <FeedbackList rows={view.feedback} texts={texts} />
      </Section>
      {view.exceptions.map((one, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: exceptions have no identity but their place
        <section key={i}>
          <h2>
            {i === 0 ? texts.stack : <Cause type={one.type} message={one.message} texts={texts} />}
          </h2>
          <Stack groups={one.frames} texts={texts} />
        </section>
      ))}
      <Section heading={texts.breadcrumbs} shown={view.breadcrumbs.length > 0}>
        <Breadcrumbs crumbs={view.breadcrumbs} />
      </Section>
      <Section heading={texts.tags} shown={view.tags.length > 0}>
        <Pairs pairs={view.tags} />
      </Section>
      <Section heading={texts.contexts} shown={view.contexts.length > 0}>
        {view.contexts.map(({ name, entries }) => (
          <div key={name} className={styles.context}>
            <h3>
              <bdi>{name}</bdi>
            </h3>
            <Pairs pairs={entries} />
          </div>
        ))}
      </Section>
      <Section heading={texts.occurrences} shown>
        <Occurrences rows={view.occurrences} />
      </Section>
      <RouteFacts renderedAt={renderedAt} />
    </article>
  );
}

function Section(props: { heading: string; shown: boolean; children: ReactNode }) {
  if (!props.shown) return null;
  return (
    <section>
      <h2>{props.heading}</h2>
      {props.children}
    </section>
  );
}

function Cause({ type, message, texts }: { type: string; message: string; texts: InboxTexts }) {
  return (
    <>
      {texts.causedBy}: <bdi dir="ltr">{type}</bdi> <bdi className={styles.cause}>{message}</bdi>
    </>
  );
}

function Facts({ facts, label }: { facts: ErrorView["facts"]; label: string }) {
  return (
    <dl className={styles.facts} aria-label={label}>
      {facts.map(([name, value, kind]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {typeof value !== "string" ? (
              <>
                <Moment>{value}</Moment> <span className={styles.full}>{value.full}</span>
              </>
            ) : kind === "code" ? (
              <bdi dir="ltr" className={styles.code}>
                {value}
              </bdi>
            ) : (
              value
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
