import Link from "next/link";
import { useState } from "react";
import { PageHead } from "@/components/page-head";
import { RouteFacts } from "@/components/route-facts";
import { useMessages } from "@/lib/messages/messages";
import { Empty } from "./empty";
import { ErrorList } from "./error-list";
import { FeedbackList } from "./feedback-list";
import { FindForm } from "./find-form";
import type { ListProps } from "./list-props";
import type { ListView } from "./list-view";
import { PerformanceList } from "./performance-list";
import { RefreshStatus } from "./refresh-status";
import styles from "./report-list.module.css";
import type { InboxTexts } from "./texts";
import { useFresh } from "./use-fresh";

/** The page of all reports: errors, performance or feedback. */
export function ReportList(given: ListProps) {
  const [paused, setPaused] = useState(false);
  const { props, freshness } = useFresh(given, paused);
  const { texts, view, sought, renderedAt } = props;
  const { title } = useMessages().routes["/reports"];
  return (
    <article className={styles.inbox}>
      <PageHead title={`${texts[view.name]} · ${title}`} />
      <header>
        <h1 tabIndex={-1}>{title}</h1>
        <RefreshStatus texts={texts} freshness={freshness} paused={paused} onPause={setPaused} />
      </header>
      <nav className={styles.tabs} aria-label={texts.views}>
        {view.tabs.map((tab) => (
          <Link
            key={tab.name}
            href={tab.href}
            aria-current={tab.name === view.name ? "page" : undefined}
          >
            {texts[tab.name]} <span>{tab.count}</span>
          </Link>
        ))}
      </nav>
      <div>
        <Rows view={view} texts={texts} />
      </div>
      {(view.newer || view.older) && (
        <nav className={styles.pages} aria-label={texts.pages}>
          {view.newer && <Link href={view.newer}>{texts.newer}</Link>}
          {view.older && <Link href={view.older}>{texts.older}</Link>}
        </nav>
      )}
      {view.name === "errors" && <FindForm texts={texts} sought={sought} />}
      <p className={styles.kept}>
        <span>
          {texts.kept}: {view.kept}
        </span>
        {view.unreadable !== undefined && (
          <span>
            {texts.unreadable}: {view.unreadable}
          </span>
        )}
        {view.dropped !== undefined && (
          <span>
            {texts.dropped}: {view.dropped}
          </span>
        )}
      </p>
      <RouteFacts renderedAt={renderedAt} />
    </article>
  );
}

function Rows({ view, texts }: { view: ListView; texts: InboxTexts }) {
  if (view.name === "performance") {
    return view.routes.length > 0 ? (
      <PerformanceList rows={view.routes} scale={view.scale} texts={texts} />
    ) : (
      <Empty
        heading={texts.noPerformance}
        text={texts.noPerformanceYet}
        href="/"
        link={texts.lookAround}
      />
    );
  }
  if (view.name === "feedback") {
    return view.feedback.length > 0 ? (
      <FeedbackList rows={view.feedback} texts={texts} />
    ) : (
      <Empty
        heading={texts.noFeedback}
        text={texts.noFeedbackYet}
        href="/feedback"
        link={texts.writeOne}
      />
    );
  }
  return view.errors.length > 0 ? (
    <ErrorList rows={view.errors} texts={texts} />
  ) : (
    <Empty
      heading={texts.noErrors}
      text={texts.noErrorsYet}
      href="/failures/client-event"
      link={texts.breakSomething}
    />
  );
}
