import Link from "next/link";
import type { InboxProps } from "@/lib/inbox/page-answers";
import type { ListView } from "@/lib/inbox/views/list-view";
import { inboxMessages } from "@/lib/messages/inbox";
import { pages } from "@/lib/routes/table";
import { ErrorList } from "./error-list";
import { FeedbackList } from "./feedback-list";
import { FilterForm } from "./filter-form";
import { PerformanceList } from "./performance-list";
import { RefreshStatus } from "./refresh-status";
import styles from "./report-list.module.css";
import { InboxPage } from "./report-page";
import { useFresh } from "./use-fresh";

/** The page of all reports: errors, performance or feedback. */
export function ReportList(given: InboxProps<ListView>) {
  const { view, renderedAt, refreshing } = useFresh(given);
  const { title, views, list, unshown } = inboxMessages;
  return (
    <InboxPage
      title={`${views[view.name]} · ${title}`}
      className={styles.inbox}
      renderedAt={renderedAt}
    >
      <header>
        <h1 tabIndex={-1}>{title}</h1>
        <RefreshStatus {...refreshing} />
      </header>
      <nav className={styles.tabs} aria-label={views.label}>
        {view.tabs.map((tab) => (
          <Link
            key={tab.name}
            href={tab.href}
            aria-current={tab.name === view.name ? "page" : undefined}
          >
            {views[tab.name]} <span>{tab.count}</span>
          </Link>
        ))}
      </nav>
      {view.name === "errors" && (view.errors.length > 0 || view.filter.active) && (
        <FilterForm filter={view.filter} />
      )}
      <div>
        <Rows view={view} renderedAt={renderedAt} />
      </div>
      {(view.newer || view.older) && (
        <nav className={styles.pages} aria-label={list.pages}>
          {view.newer && <Link href={view.newer}>{list.newer}</Link>}
          {view.older && <Link href={view.older}>{list.older}</Link>}
        </nav>
      )}
      <p className={styles.kept}>
        {(["kept", "unreadable", "dropped"] as const).map(
          (name) =>
            view[name] !== undefined && (
              <span key={name}>
                {list[name]}: {view[name]}
              </span>
            ),
        )}
        {view.unshown.length > 0 && (
          <span>
            {list.unshown}:{" "}
            {view.unshown.map(({ kind, count }, i) => (
              <span key={kind}>
                {i > 0 && " · "}
                {unshown[kind]} <bdi>{count}</bdi>
              </span>
            ))}
          </span>
        )}
      </p>
    </InboxPage>
  );
}

function Rows({ view, renderedAt }: { view: ListView; renderedAt: string }) {
  const { empty } = inboxMessages;
  switch (view.name) {
    case "performance":
      if (view.routes.length === 0) return <Empty texts={empty.performance} href="/" />;
      return <PerformanceList rows={view.routes} slowest={view.slowest} scale={view.scale} />;
    case "feedback":
      if (view.feedback.length === 0) return <Empty texts={empty.feedback} href="/feedback" />;
      return <FeedbackList rows={view.feedback} />;
    default:
      if (view.errors.length > 0) return <ErrorList rows={view.errors} renderedAt={renderedAt} />;
      if (view.filter.active) return <Empty texts={empty.filtered} href="/reports" />;
      if (view.filter.ignored !== undefined) {
        return <Empty texts={empty.ignored} href="/reports?state=ignored" />;
      }
      return <Empty texts={empty.errors} href="/failures" />;
  }
}

interface EmptyTexts {
  heading: string;
  text: string;
  /** Before the link. */
  invitation?: string;
  link: string;
}

/** Says why there are no rows, and what to do about it. A team may have taken the page for it out. */
function Empty({ texts, href }: { texts: EmptyTexts; href: string }) {
  const { heading, text, invitation, link } = texts;
  const leadsOn = href.replace(/\?.*/, "") in pages;
  return (
    <section className={styles.empty}>
      <svg viewBox="0 0 48 36" aria-hidden="true">
        <path d="M2 22 10 4h28l8 18v11a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1zM2 22h13c0 5 4 8 9 8s9-3 9-8h13" />
      </svg>
      <h2>{heading}</h2>
      <p>
        {text}
        {leadsOn && (
          <>
            {" "}
            {invitation} <Link href={href}>{link}</Link>.
          </>
        )}
      </p>
    </section>
  );
}
